package httpfront

import (
	"bytes"

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
	x.status, x.contentType, x.body = status, "text/plain; charset=utf-8", append(x.body[:0], text...)
	return nil
}

// respond sets an answer whose body is already JSON.
func (x *exchange) respond(status int, body []byte) error {
	x.status, x.contentType, x.body = status, "application/json", body
	return nil
}

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
