package httpfront

import "shoal/httpfront/indexes"

// DocumentPorts are the ports of the routes of indexes, documents and settings.
type DocumentPorts struct {
	Indexes   indexes.Indexes
	Documents indexes.Documents
	Writes    indexes.Writes
}
