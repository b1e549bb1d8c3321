package payload

import (
	"io"
	"slices"
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
	var found []byte
	count := 0
	if strings.IndexByte(primaryKey, '.') < 0 {
		for i := range doc.Members {
			if doc.Members[i].Name == primaryKey {
				found, count = doc.Members[i].Value, 1
				break
			}
		}
	} else {
		found, count = lookUp(doc.Members, primaryKey)
	}
	switch count {
	case 0:
		return "", apierr.MissingDocumentID(primaryKey, renderDocument(doc))
	case 1:
		return ParseID(found)
	default:
		return "", apierr.TooManyDocumentIDs(primaryKey, renderDocument(doc))
	}
}

// UploadedID is DocumentID for a document of an upload, which may repeat the primary key; that is
// refused.
func UploadedID(doc *Document, primaryKey string) (string, *apierr.Error) {
	if !doc.Single && repeats(doc, primaryKey) {
		return "", apierr.TooManyDocumentIDs(primaryKey, renderDocument(doc))
	}
	return DocumentID(doc, primaryKey)
}

// repeats tells whether the value at a path stands in a document twice, by the same names.
func repeats(doc *Document, path string) bool {
	if slices.Contains(doc.Repeated, path) {
		return true
	}
	for i := range doc.Members {
		if inner, rest := doc.Members[i].below(path); inner != nil && repeats(inner, rest) {
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

// lookUp counts the values that the dotted path names, as a flat name or nested, and
// returns the last one.
func lookUp(members []Member, path string) (found []byte, count int) {
	for i := range members {
		m := &members[i]
		if m.Name == path {
			found = m.Value
			count++
			continue
		}
		if inner, rest := m.below(path); inner != nil {
			if v, n := lookUp(inner.Members, rest); n > 0 {
				found = v
				count += n
			}
		}
	}
	return found, count
}

// below returns the object in a member, and the rest of a dotted path that leads into it; nil if none
// does.
func (m *Member) below(path string) (inner *Document, rest string) {
	rest, ok := strings.CutPrefix(path, m.Name)
	if !ok || rest == "" || rest[0] != '.' || len(m.Value) == 0 || m.Value[0] != '{' {
		return nil, ""
	}
	inner, err := split(m.Value)
	if err != nil {
		return nil, "" // the element was scanned: its names alone may be flawed
	}
	return inner, rest[1:]
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
