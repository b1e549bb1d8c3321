package task

import (
	"encoding/json"
	"slices"

	"shoal/wire"
)

// Creation is the body of an indexCreation task.
type Creation struct {
	PrimaryKey *string `json:"primaryKey,omitempty"`
}

// NewCreation makes the task of POST /indexes.
func NewCreation(uid string, primaryKey *string) *wire.Task {
	t := onIndex(IndexCreation, uid, &Creation{PrimaryKey: primaryKey}, nil)
	t.Details = object{{"primaryKey", nullable(primaryKey)}}.encode()
	return t
}

// Change is the body of an indexUpdate task.
type Change struct {
	PrimaryKey *string `json:"primaryKey,omitempty"`
	NewUID     *string `json:"newUid,omitempty"`
}

// NewChange makes the task of PATCH /indexes/{uid}. The new name is one of the task's indexes,
// so that tasks on it keep their order.
func NewChange(uid string, body *Change) *wire.Task {
	t := onIndex(IndexUpdate, uid, body, nil)
	d := object{{"primaryKey", nullable(body.PrimaryKey)}}
	if body.NewUID != nil {
		d = append(d, member{"oldIndexUid", quoted(uid)}, member{"newIndexUid", quoted(*body.NewUID)})
		if *body.NewUID != uid {
			t.Indexes = append(t.Indexes, *body.NewUID)
		}
	}
	t.Details = d.encode()
	return t
}

// NewIndexDeletion makes the task of DELETE /indexes/{uid}.
func NewIndexDeletion(uid string) *wire.Task {
	t := onIndex(IndexDeletion, uid, struct{}{}, nil)
	t.Details = []byte(`{"deletedDocuments":null}`)
	return t
}

// NewCompaction makes the task of POST /indexes/{uid}/compact.
func NewCompaction(uid string) *wire.Task {
	t := onIndex(IndexCompaction, uid, struct{}{}, nil)
	t.Details = []byte(`{}`)
	return t
}

// CompactedDetails returns details with the sizes, given in human units.
func CompactedDetails(before, after string) []byte {
	return object{{"preCompactionSize", quoted(before)}, {"postCompactionSize", quoted(after)}}.encode()
}

// Swap is one pair of an indexSwap task.
type Swap struct {
	Indexes [2]string `json:"indexes"`
	Rename  bool      `json:"rename"`
}

// Swaps is the body of an indexSwap task.
type Swaps struct {
	Swaps []Swap `json:"swaps"`
}

// NewSwap makes the task of POST /swap-indexes. The pairs must have been
// checked for duplicates.
func NewSwap(swaps []Swap) *wire.Task {
	if swaps == nil {
		swaps = []Swap{}
	}
	body := encode(&Swaps{swaps})
	t := &wire.Task{Kind: IndexSwap, Body: body, Details: body}
	for _, s := range swaps {
		t.Indexes = append(t.Indexes, s.Indexes[0], s.Indexes[1])
	}
	return t
}

// DuplicateSwaps returns the names that occur more than once in the pairs,
// sorted.
func DuplicateSwaps(swaps []Swap) []string {
	seen := map[string]int{}
	var twice []string
	for _, s := range swaps {
		for _, uid := range s.Indexes {
			if seen[uid]++; seen[uid] == 2 {
				twice = append(twice, uid)
			}
		}
	}
	slices.Sort(twice)
	return twice
}

// SettingsChange is the body of a settingsUpdate task. Patch is the client's settings object in
// compact JSON. A DELETE of all settings sends every setting as null.
type SettingsChange struct {
	Patch json.RawMessage `json:"patch,omitempty"`
	// Delete: the task came from a DELETE route and never creates the index.
	Delete      bool `json:"delete,omitempty"`
	CreateIndex bool `json:"createIndex,omitempty"`
}

// NewSettings makes the task of a settings update; details is the public object
// (secrets masked).
func NewSettings(uid string, body *SettingsChange, details []byte) *wire.Task {
	t := onIndex(SettingsUpdate, uid, body, nil)
	t.Details = details
	return t
}

// LargeSettings is the payload of a settingsUpdate task whose settings do not fit
// a log entry; the body's Patch is then empty.
type LargeSettings struct {
	Patch   []byte `msgpack:"p"`
	Details []byte `msgpack:"d"`
}
