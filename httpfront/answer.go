package httpfront

import (
	"bytes"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"shoal/api"
	"shoal/api/apierr"
)

// enqueued answers with the summary of a new task.
func (x *exchange) enqueued(status int) func(*api.TaskSummary, error) error {
	return func(task *api.TaskSummary, err error) error {
		if err != nil {
			return err
		}
		return x.respond(status, task.AppendJSON(x.body[:0]))
	}
}

// indexUID is the valid index uid of the path.
func (x *exchange) indexUID() (string, error) {
	uid := x.param(0)
	if !apierr.ValidIndexUID(uid) {
		return "", apierr.InvalidIndexUID(uid)
	}
	return uid, nil
}

// plain sets an answer for people and probes.
func (x *exchange) plain(status int, text string) error {
	return x.respondAs(status, "text/plain; charset=utf-8", append(x.buffer(), text...))
}

// respond sets an answer whose body is already JSON.
func (x *exchange) respond(status int, body []byte) error {
	return x.respondAs(status, "application/json", body)
}

// respondAs sets an answer of any content type.
func (x *exchange) respondAs(status int, contentType string, body []byte) error {
	x.status, x.contentType, x.body = status, contentType, body
	return nil
}

// buffer is empty memory to append an answer to.
func (x *exchange) buffer() []byte { return x.body[:0] }

// stream begins an answer that the handler writes itself: the head with WriteHeader,
// then the rest. The writer is that of the request.
func (x *exchange) stream(status int) http.ResponseWriter {
	x.streamed, x.status = true, status
	return x.writer
}

// sending gives the client a while to read what is written next to a stream.
func (x *exchange) sending() { x.conn.writing(answerPause) }

// empty sets an answer without body or content type.
func (x *exchange) empty(status int) error {
	x.status, x.contentType, x.body = status, "", x.body[:0]
	return nil
}

// jsonOptions: maps in sorted order, nil slices as [], no HTML escaping; invalid
// UTF-8 becomes U+FFFD as in the reference.
var jsonOptions = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true))

// answer sets an answer encoded from v: struct members in declaration order, nil
// slices and maps as empty ones, nil pointers as null.
func (x *exchange) answer(status int, v any) error {
	buf := bytes.NewBuffer(x.body[:0])
	if err := json.MarshalWrite(buf, v, jsonOptions); err != nil {
		return err
	}
	return x.respond(status, buf.Bytes())
}
