package payload

import (
	"io"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Format is the syntax of an upload.
type Format uint8

// The formats of spec write-api 6.3.
const (
	JSON Format = iota
	NDJSON
	CSV
)

// String is the format's name in error texts.
func (f Format) String() string { return [...]string{"json", "ndjson", "csv"}[f] }

// MaxMembers is how many fields an index may have (wire.MaxFields; messages name one fewer,
// as the reference's do). At most MaxMembers+1 members of a document are kept, which is
// enough for its task to fail. At most maxNoted are read, repeated names included, because
// a member takes about 100 bytes of memory.
const (
	MaxMembers = 1 << 16
	maxNoted   = 4 * MaxMembers
)

// Member is one top-level member of a document. Value is raw JSON without
// surrounding white space.
type Member struct {
	Name  string
	Value []byte
}

// Document is one element of an upload. Its slices are valid during the callback only;
// names may be kept.
type Document struct {
	// Raw is the object as sent (rendered, for CSV).
	Raw []byte
	// Members are in order of first appearance. Several members with one name become one,
	// at the place of the first with the value of the last. There are at most MaxMembers+1.
	Members []Member
	// Repeated are the names that came several times, but for those of an array of documents,
	// of which the reference keeps the last ones at once.
	Repeated []string
	// Single: the upload is one object, of which the reference keeps the last ones at any depth.
	Single bool
	// Fault is the syntax error of a value that is well-formed but cannot be read (a number
	// beyond doubles, half a surrogate pair), or "". The reference accepts such an upload
	// and later fails the whole batch with "Index `{uid}`: internal: {Fault}." (spec
	// write-api 6.8).
	Fault string
	// Truncated is set if the document was not read completely. Its task fails and stores
	// nothing of it. This happens to an object of more than maxNoted members, and to the
	// last record of a CSV stream that ends inside a quoted field: most likely the upload
	// was cut off. The reference accepts such a record.
	Truncated *apierr.Error
}

// AppendObject appends the document as one JSON object without white space
// between members and without repeated names; values stay as sent.
func (d *Document) AppendObject(dst []byte) []byte {
	dst = append(dst, '{')
	for i := range d.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonvalue.AppendString(dst, d.Members[i].Name)
		dst = append(dst, ':')
		dst = append(dst, d.Members[i].Value...)
	}
	return append(dst, '}')
}

// Read reads every document of r in the given format and calls each with it, in order.
// delimiter separates CSV fields. It returns the number of documents.
// Malformed content and an empty stream give an *apierr.Error. Errors of r and of each are
// returned unchanged.
func Read(f Format, delimiter byte, r io.Reader, each func(*Document) error) (uint64, error) {
	switch f {
	case NDJSON:
		return ReadNDJSON(r, each)
	case CSV:
		return ReadCSV(r, delimiter, each)
	default:
		return ReadJSON(r, each)
	}
}

// missing reports an empty stream.
func missing(f Format) *apierr.Error {
	return apierr.New(apierr.CodeMissingPayload, "A "+f.String()+" payload is missing.")
}

// malformed reports a syntax error of a JSON or NDJSON stream.
func malformed(f Format, text string) *apierr.Error {
	return apierr.New(apierr.CodeMalformedPayload,
		"The `"+f.String()+"` payload provided is malformed. `Couldn't serialize document value: "+text+"`.")
}
