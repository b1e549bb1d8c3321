package payload

import (
	"io"
	"sort"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

var errNoMore = io.EOF

// InferPrimaryKey chooses the primary key among the top-level names of the first document:
// the only one whose lower-case form ends with "id" (spec write-api 6.7).
func InferPrimaryKey(members []Member) (string, *apierr.Error) {
	var candidates []string
	for i := range members {
		if strings.HasSuffix(strings.ToLower(members[i].Name), "id") {
			candidates = append(candidates, members[i].Name)
		}
	}
	switch len(candidates) {
	case 0:
		return "", apierr.PrimaryKeyNoCandidate()
	case 1:
		return candidates[0], nil
	}
	sort.Strings(candidates)
	return "", apierr.PrimaryKeyManyCandidates(len(candidates), candidates[0], candidates[1])
}

// DocumentID finds and checks the document id at the primary key, which may be a path "a.b"
// (spec write-api 6.8). The result is the id's text: 3 and "3" are the same document.
func DocumentID(doc *Document, primaryKey string) (string, *apierr.Error) {
	return identify(doc, doc.Members, primaryKey, false)
}

// StoredID returns the id of a stored document. A partial update may have given the document its id a
// second time, because "a.b" is a member as well as a path.
func StoredID(doc *Document, primaryKey string) (string, *apierr.Error) {
	id, found := "", false
	lookUp(doc.Members, primaryKey, false, func(value []byte) bool {
		text, invalid := ParseID(value)
		id, found = text, invalid == nil
		return !found
	})
	if found {
		return id, nil
	}
	return DocumentID(doc, primaryKey)
}

// UploadedID is DocumentID for a document of an upload, which may repeat the primary key; that is
// refused.
func UploadedID(doc *Document, primaryKey string) (string, *apierr.Error) {
	if !doc.Single && repeats(doc, primaryKey) {
		members, err := doc.sent()
		if err != nil {
			return "", apierr.MissingDocumentID(primaryKey, renderDocument(doc))
		}
		if _, refused := identify(doc, members, primaryKey, true); refused != nil {
			return "", refused
		}
	}
	// The document is stored without repeated names, and must then still have its id.
	return DocumentID(doc, primaryKey)
}

// identify checks the values that the primary key names, one after the other, as the reference does:
// an invalid id is refused before a second id. With repeated, names of nested objects count as often as
// they were sent.
func identify(doc *Document, members []Member, primaryKey string, repeated bool) (string, *apierr.Error) {
	id, found := "", false
	var refused *apierr.Error
	lookUp(members, primaryKey, repeated, func(value []byte) bool {
		text, invalid := ParseID(value)
		switch {
		case invalid != nil:
			refused = invalid
		case found:
			refused = apierr.TooManyDocumentIDs(primaryKey, renderDocument(doc))
		}
		id, found = text, true
		return refused == nil
	})
	if refused != nil {
		return "", refused
	}
	if !found {
		return "", apierr.MissingDocumentID(primaryKey, renderDocument(doc))
	}
	return id, nil
}

// repeats tells whether a name that leads to the value at a path stands in an object twice.
func repeats(doc *Document, path string) bool {
	for _, name := range doc.Repeated {
		if _, ok := below(path, name); ok {
			return true
		}
	}
	for i := range doc.Members {
		if inner, rest := doc.Members[i].object(path); inner != nil && repeats(inner, rest) {
			return true
		}
	}
	return false
}

// ParseID checks a raw JSON value as a document id: a 64-bit integer, or a string of 1 to
// 511 letters, digits, hyphens and underscores.
func ParseID(raw []byte) (string, *apierr.Error) {
	if len(raw) > 2 && raw[0] == '"' && ValidID(raw[1:len(raw)-1]) {
		return string(raw[1 : len(raw)-1]), nil
	}
	if len(raw) > maxRendered {
		return "", apierr.InvalidDocumentID(string(raw))
	}
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return "", apierr.InvalidDocumentID(string(raw))
	}
	return IDOf(&v)
}

// IDOf is ParseID for a decoded value.
func IDOf(v *jsonvalue.Value) (string, *apierr.Error) {
	switch v.Kind() {
	case jsonvalue.KindString:
		// Escapes may spell valid ids.
		if s := v.String(); ValidID([]byte(s)) {
			return s, nil
		}
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		return v.JSON(), nil
	}
	return "", apierr.InvalidDocumentID(v.JSON())
}

// ValidID tells whether text is a document id.
func ValidID(text []byte) bool {
	if len(text) == 0 || len(text) > 511 {
		return false
	}
	for _, c := range text {
		if (c|0x20 < 'a' || c|0x20 > 'z') && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// lookUp calls each with the values that the dotted path names, as a flat name or nested, until each
// returns false. It returns what each returned last.
func lookUp(members []Member, path string, repeated bool, each func(value []byte) bool) bool {
	for i := range members {
		m := &members[i]
		if rest, ok := below(path, m.Name); ok && rest == "" {
			if !each(m.Value) {
				return false
			}
			continue
		}
		inner, rest := m.object(path)
		if inner == nil {
			continue
		}
		list := inner.Members
		if repeated {
			list, _ = inner.sent()
		}
		if !lookUp(list, rest, repeated, each) {
			return false
		}
	}
	return true
}

// below returns what is left of a path below a member with that name. Nothing is left if the path is the
// name, or the name and a dot. The empty name begins no path.
func below(path, name string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, name)
	if !ok || name == "" {
		return "", false
	}
	if rest == "" {
		return "", true
	}
	return strings.CutPrefix(rest, ".")
}

// object returns the object in a member, and the rest of a dotted path that leads into it; nil if none
// does.
func (m *Member) object(path string) (inner *Document, rest string) {
	rest, ok := below(path, m.Name)
	if !ok || rest == "" || len(m.Value) == 0 || m.Value[0] != '{' {
		return nil, ""
	}
	inner, err := split(m.Value)
	if err != nil {
		return nil, "" // the element was scanned: its names alone may be flawed
	}
	return inner, rest
}

// sent returns the members as often as they were sent. Only the names in Repeated differ from Members.
func (d *Document) sent() ([]Member, error) {
	if len(d.Repeated) == 0 {
		return d.Members, nil
	}
	s := &scanner{buf: d.Raw, end: len(d.Raw), keep: -1, failed: errNoMore}
	if _, ok := s.space(); !ok {
		return nil, s.peeked(jsonvalue.ReasonEOFValue)
	}
	raw, err := s.element()
	if err != nil {
		return nil, err
	}
	var names names
	list := make([]Member, 0, len(s.members))
	for _, m := range s.members {
		name, err := names.get(raw, m.nameFrom, m.nameTo)
		if err != nil {
			return nil, err
		}
		list = append(list, Member{Name: name, Value: raw[m.valueFrom:m.valueTo]})
	}
	return list, nil
}

// Split returns the members of one raw JSON object. Values point into raw.
func Split(raw []byte) ([]Member, error) {
	doc, err := split(raw)
	if err != nil {
		return nil, err
	}
	return doc.Members, nil
}

func split(raw []byte) (*Document, error) {
	s := &scanner{buf: raw, end: len(raw), keep: -1, failed: errNoMore}
	d := splitter{scanner: s, format: NDJSON}
	if _, ok := s.space(); !ok {
		return nil, s.peeked(jsonvalue.ReasonEOFValue)
	}
	element, err := s.element()
	if err != nil {
		return nil, err
	}
	return d.document(element)
}

// maxRendered bounds the texts that a message shows in the reference's spelling. A longer
// one is shown as it was sent, because its values could take gigabytes.
const maxRendered = 1 << 20

// renderDocument renders a document as messages show it.
func renderDocument(doc *Document) string {
	if len(doc.Raw) > maxRendered {
		return string(doc.Raw)
	}
	v, err := jsonvalue.Parse(doc.Raw)
	if err != nil {
		return string(doc.Raw) // a faulty value cannot be rendered
	}
	return v.JSON()
}
