package httpfront

// indexHandlers answer what concerns indexes, their settings and their documents.
type indexHandlers struct {
	Indexes   Indexes
	Documents Documents
	Writes    Writes
}
