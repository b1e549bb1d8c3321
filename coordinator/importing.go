package coordinator

import (
	"encoding/json"

	"shoal/wire"
)

// valueImport names the value that says how far the reading of a dump or
// snapshot has come. It stays in the catalogue afterwards.
const valueImport = "import"

// ImportPhase is how far a dump or snapshot has been read into this cluster.
type ImportPhase string

// Phases. A cluster that is found in ImportDocuments or ImportQueue without an
// importer at work holds half a dump: the importer undoes it before it starts
// again, and nothing else should be served from it.
const (
	ImportNone ImportPhase = ""
	// ImportDocuments: indexes and documents are written, by batches of the
	// importer's own.
	ImportDocuments ImportPhase = "documents"
	// ImportQueue: the queue is replaced. No batch starts, and the stage epoch
	// does not rise.
	ImportQueue ImportPhase = "queue"
	ImportDone  ImportPhase = "done"
)

// ImportState is the stored form. Round differs from one import to the next.
type ImportState struct {
	Round string      `json:"round"`
	Phase ImportPhase `json:"phase"`
}

// Importing returns the phase that a catalogue shows.
func Importing(c Catalog) ImportPhase { return ReadImport(c).Phase }

// Imports tells whether a dump or snapshot is being read in, or another cluster
// followed.
func Imports(c Catalog) bool {
	phase := Importing(c)
	return phase == ImportDocuments || phase == ImportQueue
}

// ReadImport reads the stored form; the zero value when nothing was ever imported.
func ReadImport(c Catalog) ImportState {
	var s ImportState
	v, ok := c.Value(valueImport)
	if ok && json.Unmarshal(v.JSON, &s) != nil {
		return ImportState{} // only SetImport writes it
	}
	return s
}

// ImportChange is the change that shows a phase; round names the import.
func ImportChange(round string, phase ImportPhase) wire.Change {
	data, err := json.Marshal(ImportState{round, phase})
	if err != nil {
		panic("coordinator: " + err.Error()) // a programming error: two strings always encode
	}
	return wire.Change{PutValue: &wire.Value{Name: valueImport, JSON: data}}
}
