package coding

import (
	"bufio"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"shoal/api/apierr"
)

// Decode returns the content of a body whose Content-Encoding is gzip, deflate (zlib) or br,
// and any other body unchanged. It reads the beginning of the body. It and the reader fail
// with a bad_request *apierr.Error if the compressed data is corrupt.
func Decode(body io.Reader, encoding string) (io.Reader, error) {
	encoding = strings.ToLower(strings.TrimSpace(encoding))
	if encoding != "gzip" && encoding != "deflate" && encoding != "br" {
		return body, nil
	}
	from := bufio.NewReader(body)
	if _, err := from.Peek(1); errors.Is(err, io.EOF) && encoding != "gzip" {
		return from, nil // nothing is no damage to the others
	}
	switch encoding {
	case "gzip":
		d := &decompressor{from: from, fault: invalidInput("corrupt deflate stream"), short: invalidInput("corrupt gzip stream does not have a matching checksum")}
		r, err := gzip.NewReader(from)
		if errors.Is(err, gzip.ErrHeader) {
			return nil, unreadable(invalidInput("invalid gzip header"))
		}
		if err != nil {
			return nil, d.refusal(err)
		}
		r.Multistream(false)
		d.decoded = r
		return d, nil
	case "deflate":
		d := &decompressor{from: from, fault: invalidInput("corrupt deflate stream"), short: invalidInput("corrupt deflate stream")}
		r, err := zlib.NewReader(from)
		if err != nil {
			return nil, d.refusal(err)
		}
		d.decoded = r
		return d, nil
	default:
		fault := `Custom { kind: InvalidData, error: "Invalid Data" }`
		return &decompressor{from: from, decoded: brotli.NewReader(from), fault: fault, short: fault}, nil
	}
}

// decompressor turns every failure of a decoder into a client error. Nothing may follow what was
// compressed.
type decompressor struct {
	from    *bufio.Reader
	decoded io.Reader
	// fault is what the reference calls a damaged stream, short one that ends early or has another
	// checksum.
	fault, short string
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.decoded.Read(p)
	if errors.Is(err, io.EOF) {
		if _, more := d.from.ReadByte(); more == nil {
			err = unreadable(`Error { kind: WriteZero, message: "failed to write whole buffer" }`)
		}
	} else if err != nil {
		err = d.refusal(err)
	}
	return n, err
}

// refusal is the client error for a failure of the decoder.
func (d *decompressor) refusal(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) {
		return unreadable(d.short)
	}
	return unreadable(d.fault)
}

func invalidInput(text string) string { return `Custom { kind: InvalidInput, error: "` + text + `" }` }

// unreadable is the reference's text for a body that cannot be decompressed.
func unreadable(fault string) *apierr.Error {
	return apierr.New(apierr.CodeBadRequest, "Error that occur during reading payload: payload reached EOF before completing: Some("+fault+")")
}
