package indexes

// Handlers answer requests about indexes, their settings and their documents.
type Handlers struct {
	Indexes   Indexes
	Documents Documents
	Writes    Writes
}
