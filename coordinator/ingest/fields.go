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
	seen        map[string]*fieldName
	bytes       int // of all names
	// objects counts the objects below top-level members. repeats: one has a name twice.
	objects uint64
	repeats bool
	// tooLong: a name exceeded maxPath, or all names maxNames. The task fails, and no more
	// names are collected.
	tooLong bool
	// last holds the keys of the previous document, because documents of one payload mostly
	// repeat them in order.
	last []string
	path []byte
	scan jsonScan
}

// fieldName is a name that was met. bits tell where it is listed, object which of the objects
// had it last.
type fieldName struct {
	bits   uint8
	object uint64
}

const (
	seenTop    = 1
	seenNested = 2
	// maxPath bounds the path of a nested field, maxNames the bytes of all names of a payload.
	// Without them, a key of 1 MB above 65,000 others turned 2 MB into 65 GB of names.
	maxPath, maxNames = 4 << 10, 16 << 20
)

func newFieldNames() *fieldNames { return &fieldNames{seen: map[string]*fieldName{}} }

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
		f.objects++
		object := f.objects
		f.scan.object(func(key []byte) bool {
			f.path = append(append(f.path[:depth], '.'), key...)
			f.notePath(object)
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
	n := f.seen[name]
	if n == nil || n.bits&where == 0 {
		f.list(strings.Clone(name), n, where)
	}
}

// notePath is note for the path of a member of an object.
func (f *fieldNames) notePath(object uint64) {
	if len(f.path) > maxPath {
		f.tooLong = true
		return
	}
	n := f.seen[string(f.path)] // does not allocate
	if n == nil || n.bits&seenNested == 0 {
		n = f.list(string(f.path), n, seenNested)
	}
	if n != nil {
		f.repeats = f.repeats || n.object == object
		n.object = object
	}
}

// list lists a name that is known so far as n says. It returns what is known then, nil for a
// name that is not listed.
func (f *fieldNames) list(name string, n *fieldName, where uint8) *fieldName {
	if len(f.top) > wire.MaxFields && where == seenTop || len(f.nested) > wire.MaxFields && where == seenNested {
		return nil // too many already: the task fails anyway
	}
	if n == nil {
		n = &fieldName{}
		f.seen[name] = n
	}
	n.bits |= where
	if where == seenTop {
		f.top = append(f.top, name)
	} else {
		f.nested = append(f.nested, name)
	}
	f.bytes += len(name)
	f.tooLong = f.tooLong || f.bytes > maxNames
	return n
}
