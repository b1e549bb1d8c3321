package indexes

// Handlers answer what concerns indexes, their settings and their documents.
type Handlers struct {
	Indexes   Indexes
	Documents Documents
	Writes    Writes
}
