package routing

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/coding"
)

// Limits of the body of a search, which anybody with a public key may send. A body is kept
// as it was sent, compressed or not, and is unpacked only once the search queue admits the
// request.
const (
	// searchBodyLimit is the largest body of a search, unpacked, in bytes.
	searchBodyLimit = 4 << 20
	// searchTreeRoom bounds the memory for the values of such a body, in bytes. It is
	// enough for about 230,000 values.
	searchTreeRoom = 16 << 20
	// waitingBodies bounds the memory for the bodies of all searches that are not admitted
	// yet, in bytes. Bodies of up to freeBody bytes do not count.
	waitingBodies = 64 << 20
	freeBody      = 8 << 10
	// searchBodyTime bounds the time for the whole body of a search, which is small.
	searchBodyTime = 60 * time.Second
)

// AdmitBody reads the body of a search, waits for a permit, and then unpacks and parses the
// body.
func (x *Exchange) AdmitBody() (body jsonvalue.Value, err error) {
	limit := min(searchBodyLimit, x.PayloadLimit())
	if err := x.checkJSONHead(limit); err != nil {
		return body, err
	}
	sent := sentBody{room: x.server.room}
	defer sent.release()
	x.in.Within(searchBodyTime)
	if err := sent.read(&x.in, x.HTTP.ContentLength, limit); err != nil {
		return body, err
	}
	if err := x.Admit(); err != nil {
		return body, err
	}
	return parseSent(sent.data, x.HTTP.Header.Get("Content-Encoding"), limit)
}

// parseSent unpacks and parses the body of a search.
func parseSent(sent []byte, encoding string, limit int64) (v jsonvalue.Value, err error) {
	data := sent
	if encoding != "" {
		from, err := coding.Decode(bytes.NewReader(sent), encoding)
		if err != nil {
			return v, err
		}
		data, err = readAll(&limitedReader{from: from, left: limit, tooLarge: jsonTooLarge(limit)}, -1)
		if err != nil {
			return v, err
		}
	}
	if len(data) == 0 {
		return v, missingPayload()
	}
	return ParseBody(data, searchTreeRoom)
}

// DecodeSearch decodes the parsed body of a search through its table.
func DecodeSearch[S any](body jsonvalue.Value, table *decode.Object[S], s *S) error {
	if err := table.Decode(decode.BodyRoot(apierr.CodeBadRequest), &body, s); err != nil {
		return err
	}
	return nil
}

// bodyRoom is the memory that waiting bodies share. Safe for concurrent use.
type bodyRoom struct {
	mu   sync.Mutex
	left int64
}

func (r *bodyRoom) take(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.left {
		return false
	}
	r.left -= n
	return true
}

func (r *bodyRoom) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left += n
}

// sentBody is a body as it was sent.
type sentBody struct {
	room  *bodyRoom
	taken int64
	data  []byte
}

// read reads the whole body. Its errors are those of BodyReader. If other bodies have used
// up the room, it refuses the body as a full queue would.
func (b *sentBody) read(from io.Reader, declared, limit int64) error {
	tooLarge := jsonTooLarge(limit)
	r := limitedReader{from: from, left: limit, tooLarge: tooLarge}
	b.data = make([]byte, 0, min(max(declared, 0), freeBody-512)+512)
	for {
		if len(b.data) == cap(b.data) {
			if err := b.grow(declared, limit); err != nil {
				return err
			}
		}
		n, err := r.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// grow makes the buffer four times as large, but no larger than the body can need.
func (b *sentBody) grow(declared, limit int64) error {
	most := limit + 1
	if declared >= 0 {
		most = declared + 1
	}
	size := min(4*int64(cap(b.data)), most)
	if size > freeBody {
		if !b.room.take(size - b.taken) {
			return errBodiesWaiting
		}
		b.taken = size
	}
	b.data = append(make([]byte, 0, size), b.data...)
	return nil
}

// release gives back the memory of the body.
func (b *sentBody) release() {
	if b.taken > 0 {
		b.room.give(b.taken)
	}
}

var errBodiesWaiting = apierr.New(apierr.CodeTooManySearchRequests, "Too many large search requests waiting at the same time. Retry after 10s.")
