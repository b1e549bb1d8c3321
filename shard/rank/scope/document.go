package scope

import (
	"shoal/query"
	"shoal/shard/record"
)

// Document asks one token record the questions of a search. Reuse it for the
// next record. For one goroutine.
type Document struct {
	Scope  *Scope
	Tokens record.Tokens
	left   []record.Occurrence
	right  []record.Occurrence
	cursor record.Cursor
}

// window is the distance up to which two words are near (spec ranking 0).
const window = 3

// stored is the distance from the word l to the word r that the index would hold:
// the least p(r) - p(l) in one field, within 1..3; 0 when there is none. With
// byAttribute, words of one searched field are at distance 1.
func (d *Document) stored(l, r string) int {
	d.left, d.right = d.Places(d.left[:0], l), d.Places(d.right[:0], r)
	if d.Scope.Schema.byAttribute {
		if d.Scope.ShareField(d.left, d.right) {
			return 1
		}
		return 0
	}
	return forward(d.left, d.right)
}

// Places appends the occurrences of a word to buf.
func (d *Document) Places(buf []record.Occurrence, w string) []record.Occurrence {
	if e, ok := d.Tokens.Find(w); ok {
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

// ShareField tells whether two ascending lists meet in a searched field.
func (s *Scope) ShareField(left, right []record.Occurrence) bool {
	i, j := 0, 0
	for i < len(left) && j < len(right) {
		switch a, b := left[i].Field, right[j].Field; {
		case a < b:
			i++
		case a > b:
			j++
		case s.Searched(a):
			return true
		default:
			i++
		}
	}
	return false
}

// Searched tells whether the request searches a field.
func (s *Scope) Searched(fid uint16) bool {
	if !s.Schema.searchable(fid) {
		return false
	}
	return s.fields == nil || int(fid) < len(s.fields) && s.fields[fid]
}

// holdsPhrase tells whether the record holds a phrase (spec ranking 3.6).
func (d *Document) holdsPhrase(words []string) bool {
	for _, w := range words {
		if w == "" {
			continue
		}
		e, ok := d.Tokens.Find(w)
		if !ok || d.Scope.Restricted && !d.entryInFields(e, false) {
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
			if n := d.stored(l, r); n == 0 || n > gap && !d.Scope.Schema.byAttribute {
				return false
			}
		}
	}
	return true
}

// entryInFields tells whether a word stands in a searched field, for derived
// words in one that is not exact (spec ranking 5.11).
func (d *Document) entryInFields(e record.Entry, derived bool) bool {
	p := e.Places()
	for o, ok := p.Next(); ok; o, ok = p.Next() {
		if d.Scope.Searched(o.Field) && !(derived && d.Scope.Schema.exactField(o.Field)) {
			return true
		}
	}
	return false
}

// Extensions calls f for every word of the record in the prefix range of a node
// until it returns false; with a cached prefix the word itself is in the range.
func (d *Document) Extensions(t *query.Term, sub query.Subset, f func(w []byte, e record.Entry) bool) {
	cached := t.UsesCache(sub)
	if !cached && (sub&query.Zero == 0 || len(t.Extensions) == 0) {
		return
	}
	last := ""
	if !cached {
		last = LastExtension(t)
	}
	d.cursor.Reset(d.Tokens)
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
