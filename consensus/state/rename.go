package state

import (
	"bytes"
	"encoding/json"
	"math"

	"shoal/wire"
)

// rename says that every task below Bound which named From names To from now on
// (and the other way round when Swap). Swapping two indexes rewrites the history
// of all older tasks (spec tasks-auth-ops-api 4.7). Records of finished tasks are not touched:
// each remembers how many renames it has been through, and the rest is applied
// when it is read. A swap so costs the same with ten tasks and with a million.
type rename struct {
	Bound uint64 `msgpack:"b"` // tasks with uid < Bound
	From  string `msgpack:"f"`
	To    string `msgpack:"t"`
	Swap  bool   `msgpack:"s"`
}

func (r *rename) of(name string) string {
	switch {
	case name == r.From:
		return r.To
	case r.Swap && name == r.To:
		return r.From
	}
	return name
}

// renames is the log of renames [first, next). It is read by queries and changed
// by apply, under the machine's lock.
type renames struct {
	first   uint64
	entries []rename
}

func (h *renames) next() uint64 { return h.first + uint64(len(h.entries)) }

// name returns what a task's index name has become, for a record that went
// through the first seq renames when it was written.
func (h *renames) name(uid uint32, seq uint64, name string) string {
	for i := h.skip(seq); i < len(h.entries); i++ {
		if r := &h.entries[i]; uint64(uid) < r.Bound {
			name = r.of(name)
		}
	}
	return name
}

func (h *renames) skip(seq uint64) int {
	if seq <= h.first {
		return 0
	}
	return int(min(seq, h.next()) - h.first)
}

// touches tells whether a record written after seq renames may have changed.
func (h *renames) touches(uid uint32, seq uint64) bool {
	for i := h.skip(seq); i < len(h.entries); i++ {
		if uint64(uid) < h.entries[i].Bound {
			return true
		}
	}
	return false
}

// bring rewrites a freshly decoded task to the newest names.
func (h *renames) bring(t *wire.Task, seq uint64) {
	if h.touches(t.UID, seq) {
		renameTask(t, func(name string) string { return h.name(t.UID, seq, name) })
	}
}

// renameTask rewrites every index name in a task that the caller owns: its
// index, the list of indexes it names, and the "swaps" of a swap task.
func renameTask(t *wire.Task, of func(string) string) {
	if t.IndexUID != nil {
		if name := of(*t.IndexUID); name != *t.IndexUID {
			t.IndexUID = &name
		}
	}
	changed := false
	for _, name := range t.Indexes {
		changed = changed || of(name) != name
	}
	if !changed {
		return
	}
	list := make([]string, len(t.Indexes))
	for i, name := range t.Indexes {
		list[i] = of(name)
	}
	t.Indexes = list
	t.Details = renameSwaps(t.Details, of)
	t.Body = renameSwaps(t.Body, of)
}

// named tells whether a task refers to an index.
func named(t *wire.Task, name string) bool {
	if t.IndexUID != nil && *t.IndexUID == name {
		return true
	}
	for _, n := range t.Indexes {
		if n == name {
			return true
		}
	}
	return false
}

// renameSwaps rewrites the names in {"swaps":[{"indexes":[a,b],...},...]}, the
// form of both the details and the body of a swap task. Anything else is returned
// as it is; the order of members is kept.
func renameSwaps(object json.RawMessage, of func(string) string) json.RawMessage {
	var outer struct {
		Swaps []struct {
			Indexes []string `json:"indexes"`
			Rename  *bool    `json:"rename,omitempty"`
		} `json:"swaps"`
	}
	if !bytes.Contains(object, []byte(`"swaps"`)) || json.Unmarshal(object, &outer) != nil {
		return object
	}
	var only map[string]json.RawMessage
	if json.Unmarshal(object, &only) != nil || len(only) != 1 {
		return object
	}
	for _, swap := range outer.Swaps {
		for i, name := range swap.Indexes {
			swap.Indexes[i] = of(name)
		}
	}
	out, err := json.Marshal(&outer)
	if err != nil {
		return object
	}
	return out
}

// AllTasks is a Bound above every uid.
const AllTasks = math.MaxUint32 + 1
