package projection

import (
	"slices"

	"shoal/api/jsonvalue"
)

// Selection is a set of selectors. A nil *Selection selects everything.
//
// A selector keeps the member of its name whole, and below a member the named part: `n.y`
// keeps {"n":{"y":...}}, and in arrays does so for each element, where empty objects stay.
// It narrows only objects: `n.y` also keeps {"n":1} and the 1 of {"n":[1,{"y":2}]}. A
// member whose own name has dots is kept by the selector of that name; below another
// member, also by a selector of its beginning. At the top level the selector of its
// beginning keeps such a member whole only if another selector names a part of it. Members
// keep their order.
type Selection struct {
	all   bool // no selector narrows the selection
	names Selectors
	omit  string // a top-level member never shown
	moves bool   // see Removing
}

// Of returns the selection of the names. Names that are no fields of the index select
// nothing, not even an empty parent.
func Of(names, fields []string) *Selection {
	wanted := NewSelectors(names)
	var known []string
	for _, f := range fields {
		if wanted.Has(f) {
			known = append(known, f)
		}
	}
	return &Selection{names: NewSelectors(known)}
}

// Reaches tells whether a top-level member or a part of it is selected.
func (s *Selection) Reaches(member string) bool {
	return s == nil || s.all || s.names.Has(member) || !s.names.Under(member).Empty()
}

// Without returns the selection without one top-level member.
func (s *Selection) Without(member string) *Selection {
	if s == nil {
		return &Selection{all: true, omit: member}
	}
	t := *s
	t.omit = member
	return &t
}

// Removing is Without, except that the last selected member takes the place of the removed
// one in the document, because the reference's maps remove members that way. This happens
// even if the removed member is not selected.
func (s *Selection) Removing(member string) *Selection {
	t := s.Without(member)
	t.moves = true
	return t
}

// AppendMembers appends the selected members of an object, separated by commas,
// without braces.
func (s *Selection) AppendMembers(dst []byte, doc *jsonvalue.Value) []byte {
	if s != nil && s.moves {
		doc = s.moved(doc)
	}
	if s == nil || s.all {
		return s.appendAll(dst, doc)
	}
	return appendSelected(dst, doc, s.names, s.omit)
}

// AppendStored is AppendMembers for the text of a stored document, whose names all differ.
// If the text has to be parsed, ok is false and nothing is appended.
func (s *Selection) AppendStored(dst, stored []byte, t *jsonvalue.Transcript) (_ []byte, ok bool) {
	return t.AppendMembers(dst, stored, s.part)
}

// part tells how much is selected of a top-level member.
func (s *Selection) part(member []byte) jsonvalue.Part {
	switch {
	case s == nil:
		return jsonvalue.Everything
	case s.omit != "" && string(member) == s.omit:
		if s.moves {
			return jsonvalue.Something
		}
		return jsonvalue.Nothing
	case s.all || s.names.Has(string(member)):
		return jsonvalue.Everything
	case s.names.Under(string(member)).Empty():
		return jsonvalue.Nothing
	case s.names.covers(string(member)):
		return jsonvalue.Everything
	}
	return jsonvalue.Something
}

// moved moves the last selected member of an object to the place of the omitted one.
func (s *Selection) moved(doc *jsonvalue.Value) *jsonvalue.Value {
	members := doc.Members()
	at := slices.IndexFunc(members, func(m jsonvalue.Member) bool { return m.Name == s.omit })
	if at < 0 {
		return doc
	}
	last := len(members) - 1
	for last > at && !s.Reaches(members[last].Name) {
		last--
	}
	if last == at {
		return doc
	}
	members = slices.Concat(members[:at], members[last:last+1], members[at+1:last])
	object := jsonvalue.ObjectValue(members...)
	return &object
}

// Append appends the object with its selected members.
func (s *Selection) Append(dst []byte, doc *jsonvalue.Value) []byte {
	return append(s.AppendMembers(append(dst, '{'), doc), '}')
}

func (s *Selection) appendAll(dst []byte, doc *jsonvalue.Value) []byte {
	first := true
	for i := range doc.Members() {
		m := &doc.Members()[i]
		if s != nil && m.Name == s.omit {
			continue
		}
		dst = m.Value.AppendJSON(appendName(dst, m.Name, first))
		first = false
	}
	return dst
}

func appendName(dst []byte, name string, first bool) []byte {
	if !first {
		dst = append(dst, ',')
	}
	return append(jsonvalue.AppendString(dst, name), ':')
}

func appendSelected(dst []byte, object *jsonvalue.Value, selectors Selectors, omit string) []byte {
	first := true
	for i := range object.Members() {
		m := &object.Members()[i]
		if omit != "" && m.Name == omit {
			continue
		}
		if selectors.Has(m.Name) {
			dst = m.Value.AppendJSON(appendName(dst, m.Name, first))
			first = false
			continue
		}
		if below := selectors.Under(m.Name); !below.Empty() {
			if dst = appendName(dst, m.Name, first); selectors.covers(m.Name) {
				dst = m.Value.AppendJSON(dst)
			} else {
				dst = appendBelow(dst, &m.Value, below)
			}
			first = false
		}
	}
	return dst
}

// appendBelow appends the selected part of a value: members of objects, also in arrays at
// any depth. Other values stay unchanged.
func appendBelow(dst []byte, v *jsonvalue.Value, selectors Selectors) []byte {
	switch v.Kind() {
	case jsonvalue.KindObject:
		dst = append(dst, '{')
		first := true
		for i := range v.Members() {
			m := &v.Members()[i]
			whole := selectors.covers(m.Name)
			below := selectors.Under(m.Name)
			if !whole && below.Empty() {
				continue
			}
			dst = appendName(dst, m.Name, first)
			if first = false; whole {
				dst = m.Value.AppendJSON(dst)
			} else {
				dst = appendBelow(dst, &m.Value, below)
			}
		}
		return append(dst, '}')
	case jsonvalue.KindArray:
		dst = append(dst, '[')
		for i := range v.Members() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendBelow(dst, &v.Members()[i].Value, selectors)
		}
		return append(dst, ']')
	}
	return v.AppendJSON(dst)
}
