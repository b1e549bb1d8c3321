package scope

import (
	"shoal/query"
	"shoal/shard/record"
)

// Document answers the questions of a search about one token record. Reuse it for the
// next record. For one goroutine.
type Document struct {
	Scope  *Scope
	Tokens record.Tokens
	left   []record.Occurrence
	right  []record.Occurrence
	cursor record.Cursor
}

// window is the largest distance at which two words are near (spec ranking 0).
const window = 3

// stored returns the distance from word l to word r as the index would store it: the
// least p(r) - p(l) in one field, within 1..3, or 0 if there is none. With byAttribute,
// words of one searched field are at distance 1.
func (d *Document) stored(l, r string) int {
	d.left, d.right = d.Places(d.left[:0], l), d.Places(d.right[:0], r)
	return d.Scope.stored(d.left, d.right)
}

// stored is Document.stored for the occurrences of two words.
func (s *Scope) stored(left, right []record.Occurrence) int {
	if !s.Schema.byAttribute {
		return forward(left, right)
	}
	if s.ShareField(left, right) {
		return 1
	}
	return 0
}

// Places appends the occurrences of a word to buf.
func (d *Document) Places(buf []record.Occurrence, w string) []record.Occurrence {
	if e, ok := d.Tokens.Find(w); ok {
		return e.AppendTo(buf)
	}
	return buf
}

// forward returns the least distance within the window from an occurrence of left to a
// later one of right in the same field, or 0. Both lists ascend.
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

// after reports whether a comes after b in (field, position) order.
func after(a, b record.Occurrence) bool {
	if a.Field != b.Field {
		return a.Field > b.Field
	}
	return a.Position > b.Position
}

// ShareField reports whether two ascending lists have a searched field in common.
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

// Searched reports whether the request searches a field.
func (s *Scope) Searched(fid uint16) bool {
	if !s.Schema.searchable(fid) {
		return false
	}
	return s.fields == nil || int(fid) < len(s.fields) && s.fields[fid]
}

// holdsPhrase reports whether the record contains a phrase (spec ranking 3.6).
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
	return d.Scope.inOrder(words, func(l, r int) int { return d.stored(words[l], words[r]) })
}

// entryInFields reports whether a word occurs in a searched field. For derived words,
// exact fields do not count (spec ranking 5.11).
func (d *Document) entryInFields(e record.Entry, derived bool) bool {
	p := e.Places()
	for o, ok := p.Next(); ok; o, ok = p.Next() {
		if d.Scope.counts(o.Field, derived) {
			return true
		}
	}
	return false
}

// Extensions calls f for every word of the record in the prefix range of a node until f
// returns false. The range of a cached prefix includes the word itself.
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
