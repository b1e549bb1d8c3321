package routing

import (
	"errors"
	"io"
	"strconv"

	"shoal/api/apierr"
	"shoal/httpfront/coding"
)

const acceptJSON = "`application/json`"

// JSONBody reads the whole body of a JSON route. It checks content type, encoding and size
// (spec search-api 1.3), but not the syntax.
func (x *Exchange) JSONBody() ([]byte, error) {
	limit := x.PayloadLimit()
	if err := x.checkJSONHead(limit); err != nil {
		return nil, err
	}
	body, err := x.BodyReader(jsonTooLarge(limit))
	if err != nil {
		return nil, err
	}
	data, err := readAll(body, x.HTTP.ContentLength)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, missingPayload()
	}
	return data, nil
}

// checkJSONHead checks the headers of a JSON body: its type, and its length, of which this
// route allows limit bytes. A length that exceeds the limit of every route is refused with
// the reference's words, but not with its status 500, because the fault is the client's.
func (x *Exchange) checkJSONHead(limit int64) error {
	if err := requireJSON(x.HTTP.Header["Content-Type"]); err != nil {
		return err
	}
	n, most := x.HTTP.ContentLength, x.PayloadLimit()
	switch {
	case n > most:
		return apierr.New(apierr.CodePayloadTooLarge, "JSON payload ("+strconv.FormatInt(n, 10)+
			" bytes) is larger than allowed (limit: "+strconv.FormatInt(most, 10)+" bytes).")
	case n > limit:
		return jsonTooLarge(limit)
	}
	return nil
}

func jsonTooLarge(limit int64) *apierr.Error {
	return apierr.New(apierr.CodePayloadTooLarge, "JSON payload has exceeded limit ("+strconv.FormatInt(limit, 10)+" bytes).")
}

func missingPayload() *apierr.Error {
	return apierr.New(apierr.CodeMissingPayload, "A json payload is missing.")
}

// BodyReader returns the decoded body of the request. It decodes gzip, deflate (zlib) and
// br; it passes any other Content-Encoding through. Reads fail with tooLarge once more than
// the payload limit has come out, and with a bad_request *apierr.Error if the compressed
// data is corrupt or the client goes away.
func (x *Exchange) BodyReader(tooLarge *apierr.Error) (io.Reader, error) {
	decoded, err := coding.Decode(&x.in, x.HTTP.Header.Get("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	return &limitedReader{from: decoded, left: x.PayloadLimit(), tooLarge: tooLarge}, nil
}

// limitedReader lets `left` bytes through and then fails with tooLarge.
type limitedReader struct {
	from     io.Reader
	left     int64
	tooLarge *apierr.Error
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, l.tooLarge
	}
	// One byte more than allowed may be read, to tell a body at the limit from a longer
	// one.
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.from.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return n + int(l.left), l.tooLarge
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	var known *apierr.Error
	if errors.As(err, &known) {
		return n, err
	}
	return n, apierr.New(apierr.CodeBadRequest, "Error that occur during reading payload: "+err.Error())
}

// readAll reads r to its end. expected is the declared length or -1. It only sizes the
// first allocation, so that a false header costs at most 1 MiB.
func readAll(r io.Reader, expected int64) ([]byte, error) {
	buf := make([]byte, 0, min(max(expected, 0), 1<<20)+512)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// requireJSON checks the content type of a JSON route.
func requireJSON(contentType []string) *apierr.Error {
	if len(contentType) == 0 {
		return MissingContentType(acceptJSON)
	}
	switch raw := contentType[0]; {
	case isJSONType(raw):
		return nil
	case !visible(raw):
		return InvalidContentType("unknown", acceptJSON)
	default:
		return InvalidContentType(raw, acceptJSON)
	}
}

// isJSONType accepts every media type whose subtype is json or ends in +json.
func isJSONType(contentType string) bool {
	m, ok := ParseMediaType(contentType)
	return ok && (m.Subtype == "json" || m.Suffix == "json")
}

// MissingContentType refuses a request without a content type. accepted lists the accepted
// types as shown to the client: "`application/json`, `text/csv`".
func MissingContentType(accepted string) *apierr.Error {
	return apierr.New(apierr.CodeMissingContentType,
		"A Content-Type header is missing. Accepted values for the Content-Type header are: "+accepted)
}

// InvalidContentType refuses a content type that a route does not accept.
func InvalidContentType(raw, accepted string) *apierr.Error {
	return apierr.New(apierr.CodeInvalidContentType,
		"The Content-Type `"+raw+"` is invalid. Accepted values for the Content-Type header are: "+accepted)
}
