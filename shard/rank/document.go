package rank

import (
	"shoal/query"
	"shoal/shard/record"
)

// document asks one token record the questions of a search. Reuse it for the
// next record. For one goroutine.
type document struct {
	scope  *Scope
	tokens record.Tokens
	left   []record.Occurrence
	right  []record.Occurrence
	cursor record.Cursor
}

// window is the distance up to which two words are near (spec ranking 0).
const window = 3

// stored is the distance from the word l to the word r that the index would hold:
// the least p(r) - p(l) in one field, within 1..3; 0 when there is none. With
// byAttribute, words of one searched field are at distance 1.
func (d *document) stored(l, r string) int {
	d.left, d.right = d.places(d.left[:0], l), d.places(d.right[:0], r)
	if d.scope.schema.byAttribute {
		if d.scope.shareField(d.left, d.right) {
			return 1
		}
		return 0
	}
	return forward(d.left, d.right)
}

// places appends the occurrences of a word to buf.
func (d *document) places(buf []record.Occurrence, w string) []record.Occurrence {
	if e, ok := d.tokens.Find(w); ok {
		return e.AppendTo(buf)
	}
	return buf
}

// forward returns the least distance within the window from a place of left to a
// later place of right in the same field, 0 without any. Both ascend.
func forward(left, right []record.Occurrence) int {
	best, j := 0, 0
	for _, l := range left {
		for j < len(right) && !after(right[j], l) {
			j++
		}
		if j == len(right) {
			break
		}
		if r := right[j]; r.Field == l.Field {
			if d := int(r.Position) - int(l.Position); d <= window && (best == 0 || d < best) {
				if best = d; best == 1 {
					break
				}
			}
		}
	}
	return best
}

// after tells whether a stands after b in (field, position) order.
func after(a, b record.Occurrence) bool {
	if a.Field != b.Field {
		return a.Field > b.Field
	}
	return a.Position > b.Position
}

// shareField tells whether two ascending lists meet in a searched field.
func (s *Scope) shareField(left, right []record.Occurrence) bool {
	i, j := 0, 0
	for i < len(left) && j < len(right) {
		switch a, b := left[i].Field, right[j].Field; {
		case a < b:
			i++
		case a > b:
			j++
		case s.searched(a):
			return true
		default:
			i++
		}
	}
	return false
}

// searched tells whether the request searches a field.
func (s *Scope) searched(fid uint16) bool {
	if !s.schema.searchable(fid) {
		return false
	}
	return s.fields == nil || int(fid) < len(s.fields) && s.fields[fid]
}

// holdsPhrase tells whether the record holds a phrase (spec ranking 3.6).
func (d *document) holdsPhrase(words []string) bool {
	for _, w := range words {
		if w == "" {
			continue
		}
		e, ok := d.tokens.Find(w)
		if !ok || d.scope.restricted && !d.entryInFields(e, false) {
			return false
		}
	}
	for i, l := range words {
		if l == "" {
			continue
		}
		for gap := 1; gap <= 2 && i+gap < len(words); gap++ {
			r := words[i+gap]
			if r == "" {
				continue
			}
			if n := d.stored(l, r); n == 0 || n > gap && !d.scope.schema.byAttribute {
				return false
			}
		}
	}
	return true
}

// entryInFields tells whether a word stands in a searched field, for derived
// words in one that is not exact (spec ranking 5.11).
func (d *document) entryInFields(e record.Entry, derived bool) bool {
	p := e.Places()
	for o, ok := p.Next(); ok; o, ok = p.Next() {
		if d.scope.searched(o.Field) && !(derived && d.scope.schema.exactField(o.Field)) {
			return true
		}
	}
	return false
}

// extensions calls f for every word of the record in the prefix range of a node
// until it returns false; with a cached prefix the word itself is in the range.
func (d *document) extensions(t *query.Term, sub query.Subset, f func(w []byte, e record.Entry) bool) {
	cached := t.UsesCache(sub)
	if !cached && (sub&query.Zero == 0 || len(t.Extensions) == 0) {
		return
	}
	last := ""
	if !cached {
		last = lastExtension(t)
	}
	d.cursor.Reset(d.tokens)
	for ok := d.cursor.Seek(t.Text); ok; ok = d.cursor.Next() {
		w := d.cursor.Word()
		if len(w) < len(t.Text) || string(w[:len(t.Text)]) != t.Text || last != "" && string(w) > last {
			return
		}
		if !cached && len(w) == len(t.Text) {
			continue
		}
		if !f(w, d.cursor.Entry) {
			return
		}
	}
}
