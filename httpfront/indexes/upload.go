package indexes

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/payload"
	"shoal/httpfront/routing"
)

// uploadQuery is the query string of POST and PUT of documents (spec write-api 6.2).
type uploadQuery struct {
	primaryKey   *string
	delimiter    *byte
	metadata     *string
	skipCreation bool
}

var uploadParameters = decode.NewObject(
	decode.Optional("primaryKey", apierr.CodeInvalidIndexPrimaryKey, decode.String, func(q *uploadQuery) **string { return &q.primaryKey }),
	decode.Optional("csvDelimiter", apierr.CodeInvalidDocumentCSVDelimiter, csvDelimiter, func(q *uploadQuery) **byte { return &q.delimiter }),
	decode.Optional("customMetadata", apierr.CodeInvalidIndexCustomMetadata, decode.String, func(q *uploadQuery) **string { return &q.metadata }),
	decode.Plain("skipCreation", apierr.CodeInvalidSkipCreation, skipCreation, func(q *uploadQuery) *bool { return &q.skipCreation }),
)

// csvDelimiter accepts one ASCII character.
func csvDelimiter(at *decode.Loc, v *jsonvalue.Value) (byte, *apierr.Error) {
	text := v.String()
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return 0, at.Invalid("expected a string of one character, but found an empty string")
	case n > 1:
		return 0, at.Invalid("expected a string of one character, but found the following string of " + strconv.Itoa(n) + " characters: `" + text + "`")
	}
	if text[0] >= utf8.RuneSelf {
		return 0, at.Fail("csv delimiter must be an ascii character. Found: `" + text + "`")
	}
	return text[0], nil
}

func skipCreation(at *decode.Loc, v *jsonvalue.Value) (bool, *apierr.Error) {
	switch text := v.String(); {
	case strings.EqualFold(text, "true"):
		return true, nil
	case strings.EqualFold(text, "false"):
		return false, nil
	default:
		return false, at.Fail("skipCreation must be either `true` or `false`. Found: `" + text + "`")
	}
}

func (h *Handlers) serveReplaceDocuments(x *routing.Exchange) error { return h.upload(x, false) }

func (h *Handlers) serveUpdateDocuments(x *routing.Exchange) error { return h.upload(x, true) }

// upload passes the documents of the body on as a stream. It checks in the order of spec
// write-api 1.2: query string, index uid, content type, body.
func (h *Handlers) upload(x *routing.Exchange, update bool) error {
	var q uploadQuery
	if err := routing.ReadQuery(x, uploadParameters, &q); err != nil {
		return err
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	format, refused := uploadFormat(x.HTTP.Header["Content-Type"])
	if refused != nil {
		return refused
	}
	delimiter := byte(',')
	switch {
	case q.delimiter == nil:
	case format == payload.CSV:
		delimiter = *q.delimiter
	default:
		return apierr.New(apierr.CodeInvalidContentType, "The Content-Type `"+uploadTypes[format]+
			"` does not support the use of a csv delimiter. The csv delimiter can only be used with the Content-Type `text/csv`.")
	}
	body, err := openDocuments(x)
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusAccepted)(h.Writes.AddDocuments(x.Context(), &payload.Upload{
		IndexUID: uid, Format: format, Delimiter: delimiter, Update: update, PrimaryKey: q.primaryKey,
		SkipCreation: q.skipCreation, CreateIndex: x.Auth.MayCreate(uid), Metadata: q.metadata, Body: body,
	}))
}

// uploadTypes are the media types of the formats, in the order of messages.
var uploadTypes = [...]string{payload.JSON: "application/json", payload.NDJSON: "application/x-ndjson", payload.CSV: "text/csv"}

const acceptDocuments = "`application/json`, `application/x-ndjson`, `text/csv`"

func uploadFormat(contentType []string) (payload.Format, *apierr.Error) {
	if len(contentType) == 0 {
		return 0, routing.MissingContentType(acceptDocuments)
	}
	m, ok := routing.ParseMediaType(contentType[0])
	if !ok {
		return 0, routing.InvalidContentType(string([]rune(contentType[0])), acceptDocuments) // as UTF-8
	}
	media := m.Kind + "/" + m.Subtype
	for format, name := range uploadTypes {
		if media == name {
			return payload.Format(format), nil
		}
	}
	return 0, routing.InvalidContentType(media, acceptDocuments)
}

// openDocuments returns the decoded body. Its errors have the words of the documents
// routes.
func openDocuments(x *routing.Exchange) (io.Reader, error) {
	tooLarge := apierr.DocumentsPayloadTooLarge(x.PayloadLimit())
	body, err := x.BodyReader(tooLarge)
	if err != nil {
		return nil, apierr.IncompletePayload()
	}
	return &documentStream{from: body, tooLarge: tooLarge}, nil
}

type documentStream struct {
	from     io.Reader
	tooLarge *apierr.Error
}

func (s *documentStream) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, error(s.tooLarge)) {
		err = apierr.IncompletePayload()
	}
	return n, err
}
