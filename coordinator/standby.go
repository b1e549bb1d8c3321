package coordinator

import (
	"encoding/json"

	"shoal/wire"
)

// valueStandby names the value that says which cluster this one follows.
const valueStandby = "standby"

// StandbyState is what a cluster knows of the one whose snapshots it follows. It
// stays in the catalogue after the promotion.
type StandbyState struct {
	// From is where the snapshots lie, Cluster the id of the one that took them, ""
	// before the first.
	From    string `json:"from"`
	Cluster string `json:"cluster,omitempty"`
	// Snapshot is the name of the newest one that is here whole, Taken its moment.
	Snapshot string `json:"snapshot,omitempty"`
	Taken    int64  `json:"taken,omitempty"` // ns since 1970
	// Indexes says for each index, by name, from what record of the other cluster it
	// was made.
	Indexes map[string]string `json:"indexes,omitempty"`
	// Wanted: somebody asked for the promotion. Promoted: it has happened; the cluster
	// follows nobody any more.
	Wanted   bool `json:"wanted,omitempty"`
	Promoted bool `json:"promoted,omitempty"`
}

// Standby returns what a catalogue says about following; false when this cluster
// never followed another one.
func Standby(c Catalog) (s StandbyState, ok bool) {
	v, ok := c.Value(valueStandby)
	if !ok || json.Unmarshal(v.JSON, &s) != nil { // only StandbyChange writes it
		return StandbyState{}, false
	}
	return s, true
}

// Follows tells whether this cluster follows another one now.
func Follows(c Catalog) bool {
	s, ok := Standby(c)
	return ok && !s.Promoted
}

// StandbyChange is the change that stores s.
func StandbyChange(s *StandbyState) (wire.Change, error) {
	data, err := json.Marshal(s)
	return wire.Change{PutValue: &wire.Value{Name: valueStandby, JSON: data}}, err
}

// BeingCopied tells whether an index is one that a standby still copies: clients do
// not see it.
func BeingCopied(uid string) bool { return len(uid) > 0 && uid[0] == CopiedPrefix }

// CopiedPrefix begins the names of such indexes; clients cannot give it.
const CopiedPrefix = '~'
