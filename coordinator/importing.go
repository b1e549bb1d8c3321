package coordinator

import (
	"encoding/json"

	"shoal/wire"
)

// valueImport names the catalogue value with the progress of the import of a dump or snapshot.
// It stays in the catalogue afterwards.
const valueImport = "import"

// ImportPhase is the progress of reading a dump or snapshot into this cluster.
type ImportPhase string

// Phases. A cluster in ImportDocuments or ImportQueue without a running importer holds half a
// dump. The importer undoes that before it starts again. Nothing else should be served from it.
const (
	ImportNone ImportPhase = ""
	// ImportDocuments: the importer writes indexes and documents, in batches of its own.
	ImportDocuments ImportPhase = "documents"
	// ImportQueue: the importer replaces the queue. No batch starts, and the stage epoch does
	// not rise.
	ImportQueue ImportPhase = "queue"
	ImportDone  ImportPhase = "done"
)

// ImportState is the stored form. Every import has its own Round.
type ImportState struct {
	Round string      `json:"round"`
	Phase ImportPhase `json:"phase"`
}

// Importing returns the phase that a catalogue shows.
func Importing(c Catalog) ImportPhase { return ReadImport(c).Phase }

// Imports tells whether the cluster is reading a dump or snapshot, or follows another cluster.
func Imports(c Catalog) bool {
	phase := Importing(c)
	return phase == ImportDocuments || phase == ImportQueue
}

// ReadImport reads the stored form. It returns the zero value when nothing was ever imported.
func ReadImport(c Catalog) ImportState {
	var s ImportState
	v, ok := c.Value(valueImport)
	if ok && json.Unmarshal(v.JSON, &s) != nil {
		return ImportState{} // cannot happen: only ImportChange writes it
	}
	return s
}

// ImportChange returns the change that stores a phase; round names the import.
func ImportChange(round string, phase ImportPhase) wire.Change {
	data, err := json.Marshal(ImportState{round, phase})
	if err != nil {
		panic("coordinator: " + err.Error()) // a programming error: two strings always encode
	}
	return wire.Change{PutValue: &wire.Value{Name: valueImport, JSON: data}}
}
