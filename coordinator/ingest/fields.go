package ingest

import (
	"strings"

	"shoal/api/payload"
	"shoal/wire"
)

// fieldNames collects the names of documents in first-seen order: the top-level
// ones, and the dotted ones below them (spec write-api 7 and 19.4, ranking 1.9).
type fieldNames struct {
	top, nested []string
	seen        map[string]uint8 // bits: listed in top, in nested
	bytes       int              // of all names
	// tooLong is set by names beyond maxPath or maxNames: the task fails, and no more are
	// collected.
	tooLong bool
	// last holds the keys of the document before: documents of one payload mostly
	// repeat them in order.
	last []string
	path []byte
	scan jsonScan
}

const (
	seenTop    = 1
	seenNested = 2
	// maxPath bounds the name of a nested field with those above it, maxNames all names of
	// a payload: a key of 1 MB above 65,000 others made 65 GB of names out of 2 MB.
	maxPath, maxNames = 4 << 10, 16 << 20
)

func newFieldNames() *fieldNames { return &fieldNames{seen: map[string]uint8{}} }

// add collects the names of one document.
func (f *fieldNames) add(members []payload.Member) {
	for i := range members {
		if f.tooLong {
			return
		}
		name := members[i].Name
		if i >= len(f.last) || f.last[i] != name {
			f.note(name, seenTop)
			f.last = append(f.last[:min(i, len(f.last))], name)
		}
		value := members[i].Value
		if len(value) > 2 && (value[0] == '{' || value[0] == '[') && name != "_vectors" && name != "_geojson" {
			f.path = append(f.path[:0], name...)
			f.scan.data, f.scan.pos = value, 0
			f.below()
		}
	}
}

// below collects the dotted names inside the value that comes next; path is its
// own name.
func (f *fieldNames) below() {
	switch f.scan.peek() {
	case '{':
		depth := len(f.path)
		f.scan.object(func(key []byte) bool {
			f.path = append(append(f.path[:depth], '.'), key...)
			f.notePath()
			f.below()
			return !f.tooLong
		})
		f.path = f.path[:depth]
	case '[':
		f.scan.array(func() bool { f.below(); return !f.tooLong })
	default:
		f.scan.value()
	}
}

// note lists a name where it is new.
func (f *fieldNames) note(name string, where uint8) {
	bits := f.seen[name]
	if bits&where != 0 {
		return
	}
	f.list(strings.Clone(name), bits, where)
}

// notePath is note for the path of a nested member.
func (f *fieldNames) notePath() {
	if len(f.path) > maxPath {
		f.tooLong = true
		return
	}
	bits := f.seen[string(f.path)] // does not allocate
	if bits&seenNested == 0 {
		f.list(string(f.path), bits, seenNested)
	}
}

func (f *fieldNames) list(name string, bits, where uint8) {
	if len(f.top) > wire.MaxFields && where == seenTop || len(f.nested) > wire.MaxFields && where == seenNested {
		return // too many already, whatever they are called: the task fails
	}
	f.seen[name] = bits | where
	if where == seenTop {
		f.top = append(f.top, name)
	} else {
		f.nested = append(f.nested, name)
	}
	f.bytes += len(name)
	f.tooLong = f.tooLong || f.bytes > maxNames
}
