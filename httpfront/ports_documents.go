package httpfront

// DocumentPorts are the ports of the routes of indexes, documents and settings.
type DocumentPorts struct {
	Indexes   Indexes
	Documents Documents
	Writes    Writes
}
