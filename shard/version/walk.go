package version

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/store"
)

// valueCursor iterates over the values of one field of one version, ascending or
// descending. For one goroutine. The caller must close it.
type valueCursor struct {
	version *Version
	it      *pebble.Iterator
	prefix  []byte
	desc    bool
	more    bool // the iterator is on a key
	// rest is the present value as in its key, whose bytes are in the order of values.
	// It is valid until the next move. done means that there is none.
	rest []byte
	done bool
	// docs are the documents with the value, if the cursor reads them.
	reads bool
	docs  docset.Set
	back  []docset.Set // scratch: blocks in descending order
}

// open moves to the first value. reads also reads the documents.
func (c *valueCursor) open(v *Version, t store.Table, fid uint16, desc, reads bool) error {
	prefix := binary.BigEndian.AppendUint16(v.keys.Prefix(nil, t), fid)
	*c = valueCursor{version: v, it: v.Borrow(prefix), prefix: prefix, desc: desc, reads: reads}
	if desc {
		c.more = c.it.Last()
	} else {
		c.more = c.it.First()
	}
	return c.next()
}

// close returns the iterator.
func (c *valueCursor) close() { c.version.GiveBack(c.it) }

func (c *valueCursor) step() bool {
	if c.desc {
		return c.it.Prev()
	}
	return c.it.Next()
}

// next moves to the next value with documents.
func (c *valueCursor) next() error {
	for c.more && len(c.it.Key()) >= len(c.prefix)+2 {
		key := c.it.Key()
		c.rest = append(c.rest[:0], key[len(c.prefix):len(key)-2]...)
		if err := c.collect(); err != nil {
			return err
		}
		if !c.reads || !c.docs.Empty() {
			return nil
		}
	}
	c.done, c.rest = true, nil
	return c.it.Error()
}

// collect passes over the blocks of the present value and reads them.
func (c *valueCursor) collect() error {
	var out docset.Assembler
	c.back = c.back[:0]
	for c.more && sameValue(c.it.Key(), c.prefix, c.rest) {
		if c.reads {
			var one docset.Assembler
			into := &out
			if c.desc {
				into = &one
			}
			block := binary.BigEndian.Uint16(c.it.Key()[len(c.prefix)+len(c.rest):])
			if err := appendBlock(into, block, c.it.ValueAndErr); err != nil {
				return err
			}
			if c.desc {
				c.back = append(c.back, one.Set())
			}
		}
		c.more = c.step()
	}
	if c.docs = out.Set(); c.desc {
		c.docs = docset.Union(c.back...)
	}
	return nil
}

func sameValue(key, prefix, rest []byte) bool {
	return len(key) == len(prefix)+len(rest)+2 && bytes.Equal(key[len(prefix):len(prefix)+len(rest)], rest)
}

// walkValues visits the values of one field, ascending or descending. rest is the value
// as in its key, valid during the visit. docs are its documents in all parts, empty if
// reads is false.
func (s *Space) walkValues(t store.Table, fid uint16, desc, reads bool, visit func(rest []byte, docs docset.Set) (bool, error)) error {
	cursors := make([]valueCursor, len(s.parts))
	for i, part := range s.parts {
		err := cursors[i].open(part, t, fid, desc, reads)
		defer cursors[i].close()
		if err != nil {
			return err
		}
	}
	if len(cursors) == 1 {
		return cursors[0].walk(visit)
	}
	var rest []byte
	sets := make([]docset.Set, len(cursors))
	for {
		best := nearest(cursors, desc)
		if best < 0 {
			return nil
		}
		rest = append(rest[:0], cursors[best].rest...)
		clear(sets)
		for i := range cursors {
			c := &cursors[i]
			if c.done || !bytes.Equal(c.rest, rest) {
				continue
			}
			sets[i] = c.docs
			if err := c.next(); err != nil {
				return err
			}
		}
		if on, err := visit(rest, docset.Joined(sets, s.bases)); err != nil || !on {
			return err
		}
	}
}

// walk visits the values from the present one on.
func (c *valueCursor) walk(visit func(rest []byte, docs docset.Set) (bool, error)) error {
	for !c.done {
		if on, err := visit(c.rest, c.docs); err != nil || !on {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// nearest returns the cursor whose value comes first, -1 if all are done.
func nearest(cursors []valueCursor, desc bool) int {
	best := -1
	for i := range cursors {
		c := &cursors[i]
		if c.done {
			continue
		}
		if best >= 0 {
			if order := bytes.Compare(c.rest, cursors[best].rest); order == 0 || order > 0 != desc {
				continue
			}
		}
		best = i
	}
	return best
}

// Numbers iterates over the numbers of a faceted field with their documents, ascending
// or descending, until f returns false.
func (s *Space) Numbers(fid uint16, desc bool, f func(x float64, docs docset.Set) bool) error {
	return s.walkValues(store.TableNumber, fid, desc, true, func(rest []byte, docs docset.Set) (bool, error) {
		x, err := numberOf(rest)
		return err == nil && f(x, docs), err
	})
}

// Strings iterates over the strings of a faceted field, by facet form, with their
// documents, ascending or descending, until f returns false.
func (s *Space) Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error {
	return s.walkValues(store.TableString, fid, desc, true, func(rest []byte, docs docset.Set) (bool, error) {
		form, err := stringOf(rest)
		return err == nil && f(string(form), docs), err
	})
}

// StringForms iterates over the facet forms of a field in byte order until f returns
// false. docs reads the documents of the form and is valid only during the call.
func (s *Space) StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error {
	return s.walkValues(store.TableString, fid, false, false, func(rest []byte, _ docset.Set) (bool, error) {
		form, err := stringOf(rest)
		if err != nil {
			return false, err
		}
		name := string(form)
		return f(name, func() (docset.Set, error) { return s.String(fid, name) }), nil
	})
}
