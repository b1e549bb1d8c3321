package state

import (
	"testing"
)

func TestHistoriesAreComparedWhereBothAreKnown(t *testing.T) {
	var mine history
	hash := uint64(7)
	var marks []Mark
	for i := range uint64(3 * marksKept) {
		hash = extend(hash, 2*i, 1, []byte("entry"))
		marks = append(marks, Mark{2 * i, hash})
	}
	mine.add(marks, true)
	newest := marks[len(marks)-1]
	if mine.newest() != newest {
		t.Errorf("the newest is %+v, want %+v", mine.newest(), newest)
	}
	oldest := marks[len(marks)-marksKept]
	for _, c := range []struct {
		what    string
		mark    Mark
		differs bool
	}{
		{"the newest", newest, false},
		{"another newest", Mark{newest.Index, newest.Hash + 1}, true},
		{"the oldest kept", oldest, false},
		{"another oldest", Mark{oldest.Index, oldest.Hash + 1}, true},
		{"a command where this node has none", Mark{newest.Index - 1, 5}, true},
		{"too old", Mark{oldest.Index - 2, 5}, false},
		{"not reached yet", Mark{newest.Index + 2, 5}, false},
		{"a node without a history", Mark{newest.Index, 0}, false},
	} {
		if got := mine.differs(c.mark); got != c.differs {
			t.Errorf("%s: %t", c.what, got)
		}
	}
	mine.add([]Mark{{4, 9}}, true)
	if mine.newest() != (Mark{4, 9}) || mine.differs(Mark{newest.Index, 1}) {
		t.Error("a restored state keeps marks of the one before")
	}
}

func TestTheHashOfAHistoryDependsOnEveryEntry(t *testing.T) {
	one := extend(extend(0, 1, 1, []byte("a")), 2, 1, []byte("b"))
	for what, other := range map[string]uint64{
		"another first entry":  extend(extend(0, 1, 1, []byte("x")), 2, 1, []byte("b")),
		"another term":         extend(extend(0, 1, 1, []byte("a")), 2, 2, []byte("b")),
		"another place":        extend(extend(0, 1, 1, []byte("a")), 3, 1, []byte("b")),
		"one entry less":       extend(0, 2, 1, []byte("b")),
		"bytes moved over":     extend(extend(0, 1, 1, []byte("ab")), 2, 1, nil),
		"another second entry": extend(extend(0, 1, 1, []byte("a")), 2, 1, []byte("a")),
	} {
		if other == one {
			t.Errorf("%s has the same hash", what)
		}
	}
}

// BenchmarkHashOfAnEntry measures what the hash costs per applied entry.
func BenchmarkHashOfAnEntry(b *testing.B) {
	data := make([]byte, 8<<10)
	b.SetBytes(int64(len(data)))
	hash := uint64(0)
	for i := range uint64(b.N) {
		hash = extend(hash, i, 1, data)
	}
	if hash == 0 {
		b.Fatal("no hash")
	}
}
