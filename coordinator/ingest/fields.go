package ingest

import (
	"strings"

	"shoal/api/payload"
	"shoal/wire"
)

// fieldNames collects the names of fields in first-seen order: top-level names, and the dotted
// names below them (spec write-api 7 and 19.4, ranking 1.9).
type fieldNames struct {
	top, nested []string
	seen        map[string]uint8 // bits: listed in top, in nested
	bytes       int              // of all names
	// tooLong: a name exceeded maxPath, or all names maxNames. The task fails, and no more
	// names are collected.
	tooLong bool
	// last holds the keys of the previous document, because documents of one payload mostly
	// repeat them in order.
	last []string
	path []byte
	scan jsonScan
}

const (
	seenTop    = 1
	seenNested = 2
	// maxPath bounds the path of a nested field, maxNames the bytes of all names of a payload.
	// Without them, a key of 1 MB above 65,000 others turned 2 MB into 65 GB of names.
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
		if name == "_geo" { // has these two, whatever its value is
			f.note("_geo.lat", seenNested)
			f.note("_geo.lng", seenNested)
			continue
		}
		if len(value) > 2 && (value[0] == '{' || value[0] == '[') && name != "_vectors" && name != "_geojson" {
			f.path = append(f.path[:0], name...)
			f.scan.data, f.scan.pos = value, 0
			f.below()
		}
	}
}

// below collects the dotted names inside the next value; path is the name of that value.
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

// note lists a new name.
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
		return // too many already: the task fails anyway
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
