package extract

import (
	"cmp"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
)

// member is a top-level key with its raw value.
type member struct {
	f   *field
	raw []byte
}

// place is the index of a field in members.
type place struct {
	epoch uint32
	at    int32
}

// Store appends the stored form of a document to dst: one JSON object with members in
// field-id order, the last of equal keys, without blanks between members. Values stay
// as written (spec write-api 7). If old is a stored document, doc is merged into it:
// members of doc replace those of the same name (spec write-api 6.1).
//
// vectors is doc's raw _vectors, or nil. Entries of configured embedders are not stored
// in the document (spec write-api 8.4). Names missing from the field map are collected,
// see Unknown. Errors: *apierr.Error and *jsonvalue.SyntaxError.
func (x *Extractor) Store(dst, old, doc []byte) (stored, vectors []byte, err error) {
	x.epoch++
	x.members = x.members[:0]
	var oldVectors []byte
	if old != nil {
		if err := x.collect(old, &oldVectors); err != nil {
			return dst, nil, err
		}
	}
	if err := x.collect(doc, &vectors); err != nil {
		return dst, nil, err
	}
	kept, err := x.foreignVectors(oldVectors, vectors)
	if err != nil {
		return dst, nil, err
	}
	if kept != nil {
		if f := x.field(Vectors); f != nil {
			x.members = append(x.members, member{f, kept})
		}
	}
	slices.SortFunc(x.members, func(a, b member) int { return cmp.Compare(a.f.id, b.f.id) })
	dst = append(dst, '{')
	for i, m := range x.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m.f.json...)
		dst = append(dst, ':')
		dst = append(dst, m.raw...)
	}
	return append(dst, '}'), vectors, nil
}

// collect adds the members of a document. Later ones replace earlier ones of the same
// name.
func (x *Extractor) collect(doc []byte, vectors *[]byte) error {
	return Members(doc, func(name string, raw []byte) {
		if name == Vectors {
			*vectors = raw
			return
		}
		f := x.field(name)
		if f == nil {
			return
		}
		p := &x.place[f.id]
		if p.epoch == x.epoch {
			x.members[p.at].raw = raw
			return
		}
		*p = place{epoch: x.epoch, at: int32(len(x.members))}
		x.members = append(x.members, member{f, raw})
	})
}

// foreignVectors returns the part of _vectors that stays in the stored document: the
// entries that are not of a configured embedder, by name and in the reference's form,
// or nil.
func (x *Extractor) foreignVectors(old, new []byte) ([]byte, error) {
	if old == nil && new == nil {
		return nil, nil
	}
	merged, err := jsonvalue.Parse([]byte("{}"))
	if err != nil {
		return nil, err
	}
	members := merged.Members()
	for _, raw := range [][]byte{old, new} {
		if raw == nil {
			continue
		}
		v, err := parseMap(raw)
		if err != nil {
			return nil, err
		}
		for _, m := range v.Members() {
			if _, configured := x.plan.settings.Embedders[m.Name]; configured {
				continue
			}
			at := slices.IndexFunc(members, func(o jsonvalue.Member) bool { return o.Name == m.Name })
			if at < 0 {
				members = append(members, m)
			} else {
				members[at] = m
			}
		}
	}
	if len(members) == 0 {
		return nil, nil
	}
	for i := range members {
		members[i].Value = uniform(members[i].Value)
	}
	slices.SortFunc(members, func(a, b jsonvalue.Member) int { return strings.Compare(a.Name, b.Name) })
	object := jsonvalue.ObjectValue(members...)
	return object.AppendJSON(nil), nil
}

// uniform returns the stored form of an entry of _vectors: an object has regenerate and
// embeddings, in this order, and null becomes an empty list.
func uniform(entry jsonvalue.Value) jsonvalue.Value {
	if entry.IsNull() {
		return jsonvalue.ArrayValue()
	}
	if entry.Kind() != jsonvalue.KindObject {
		return entry
	}
	regenerate, embeddings := entry.Get("regenerate"), entry.Get("embeddings")
	if regenerate == nil {
		return entry // will be refused
	}
	if embeddings == nil {
		embeddings = new(jsonvalue.Value)
	}
	return jsonvalue.ObjectValue(jsonvalue.Member{Name: "regenerate", Value: *regenerate}, jsonvalue.Member{Name: "embeddings", Value: *embeddings})
}

// CutMember returns a JSON object without its members of a name, and whether there were
// any. Without any it returns the object itself.
func CutMember(doc []byte, name string) (rest []byte, found bool, err error) {
	rest = []byte{'{'}
	err = Members(doc, func(member string, raw []byte) {
		if member == name {
			found = true
			return
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(jsonvalue.AppendString(rest, member), ':'), raw...)
	})
	if err != nil || !found {
		return doc, false, err
	}
	return append(rest, '}'), true, nil
}

// Members calls f for every top-level member of a JSON object in order, with its raw
// value. Names alias doc unless they are escaped.
func Members(doc []byte, f func(name string, raw []byte)) error {
	return membersAt(doc, func(name string, start, end int) { f(name, doc[start:end:end]) })
}

// membersAt is Members with the bounds of the values.
func membersAt(doc []byte, f func(name string, start, end int)) error {
	p := parser{doc: doc}
	p.space()
	if p.pos >= len(doc) || doc[p.pos] != '{' {
		return errJSON
	}
	p.pos++
	for first := true; ; first = false {
		p.space()
		if p.pos >= len(doc) {
			return errJSON
		}
		if doc[p.pos] == '}' && first {
			return nil
		}
		if doc[p.pos] != '"' {
			return errJSON
		}
		key := p.pos + 1
		escaped, ok := p.str()
		if !ok {
			return errJSON
		}
		name := view(doc[key : p.pos-1])
		if escaped {
			name = unescape(doc[key : p.pos-1])
		}
		p.space()
		if p.pos >= len(doc) || doc[p.pos] != ':' {
			return errJSON
		}
		p.pos++
		p.space()
		start := p.pos
		if !p.skipValue() {
			return errJSON
		}
		f(name, start, p.pos)
		p.space()
		if p.pos >= len(doc) {
			return errJSON
		}
		c := doc[p.pos]
		p.pos++
		if c == '}' {
			return nil
		}
		if c != ',' {
			return errJSON
		}
	}
}

// skipValue skips one value without parsing it.
func (p *parser) skipValue() bool {
	depth := 0
	for p.pos < len(p.doc) {
		switch p.doc[p.pos] {
		case '"':
			if _, ok := p.str(); !ok {
				return false
			}
			p.pos--
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return false
			}
			depth--
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return false
			}
		default:
			if depth == 0 {
				start := p.pos
				for p.pos < len(p.doc) && isScalar(p.doc[p.pos]) {
					p.pos++
				}
				return p.pos > start
			}
		}
		p.pos++
		if depth == 0 {
			return true
		}
	}
	return false
}

func isScalar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}
