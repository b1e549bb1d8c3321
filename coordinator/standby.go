package coordinator

import (
	"encoding/json"

	"shoal/wire"
)

// valueStandby names the catalogue value about the cluster that this one follows.
const valueStandby = "standby"

// StandbyState is what a cluster knows about the cluster whose snapshots it follows. It stays
// in the catalogue after the promotion.
type StandbyState struct {
	// From is where the snapshots are stored. Cluster is the id of the cluster that took them,
	// "" before the first snapshot.
	From    string `json:"from"`
	Cluster string `json:"cluster,omitempty"`
	// Snapshot is the newest snapshot that was restored completely, Taken its time.
	Snapshot string `json:"snapshot,omitempty"`
	Taken    int64  `json:"taken,omitempty"` // ns since 1970
	// Indexes maps each index, by name, to the record of the other cluster that it was restored
	// from.
	Indexes map[string]string `json:"indexes,omitempty"`
	// Wanted: an operator asked for the promotion. Promoted: it has happened, and the cluster
	// follows no other one any more.
	Wanted   bool `json:"wanted,omitempty"`
	Promoted bool `json:"promoted,omitempty"`
}

// Standby returns the stored state; ok is false when this cluster never followed another one.
func Standby(c Catalog) (s StandbyState, ok bool) {
	v, ok := c.Value(valueStandby)
	if !ok || json.Unmarshal(v.JSON, &s) != nil { // cannot fail: only StandbyChange writes it
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

// BeingCopied tells whether a standby is still copying an index. Clients do not see such an
// index.
func BeingCopied(uid string) bool { return len(uid) > 0 && uid[0] == CopiedPrefix }

// CopiedPrefix begins the names of such indexes. Clients cannot give such a name.
const CopiedPrefix = '~'
