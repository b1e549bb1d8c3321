package routing

import (
	"bytes"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"shoal/api"
	"shoal/api/apierr"
)

// Enqueued returns a function that answers with the summary of a new task.
func (x *Exchange) Enqueued(status int) func(*api.TaskSummary, error) error {
	return func(task *api.TaskSummary, err error) error {
		if err != nil {
			return err
		}
		return x.Respond(status, task.AppendJSON(x.body[:0]))
	}
}

// IndexUID is the valid index uid of the path.
func (x *Exchange) IndexUID() (string, error) {
	uid := x.Param(0)
	if !apierr.ValidIndexUID(uid) {
		return "", apierr.InvalidIndexUID(uid)
	}
	return uid, nil
}

// Plain sets an answer of plain text, for people and probes.
func (x *Exchange) Plain(status int, text string) error {
	return x.RespondAs(status, "text/plain; charset=utf-8", append(x.Buffer(), text...))
}

// Respond sets an answer whose body is already JSON.
func (x *Exchange) Respond(status int, body []byte) error {
	return x.RespondAs(status, "application/json", body)
}

// Relay answers 200 with the JSON that a port returned, which it keeps, or with its error.
func (x *Exchange) Relay(body []byte, err error) error {
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, body)
}

// Show answers 200 with the JSON of what a port returned, or with its error.
func (x *Exchange) Show(v interface{ AppendJSON(dst []byte) []byte }, err error) error {
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, v.AppendJSON(x.Buffer()))
}

// RespondAs sets an answer of any content type.
func (x *Exchange) RespondAs(status int, contentType string, body []byte) error {
	x.status, x.contentType, x.body = status, contentType, body
	return nil
}

// Buffer is empty memory for building an answer.
func (x *Exchange) Buffer() []byte { return x.body[:0] }

// Stream begins an answer that the handler writes itself to the request's writer: the head
// with WriteHeader, then the body.
func (x *Exchange) Stream(status int) http.ResponseWriter {
	x.streamed, x.status = true, status
	return x.writer
}

// Empty sets an answer without body or content type.
func (x *Exchange) Empty(status int) error {
	x.status, x.contentType, x.body = status, "", x.body[:0]
	return nil
}

// jsonOptions: maps in sorted order, nil slices as [], no HTML escaping; invalid
// UTF-8 becomes U+FFFD as in the reference.
var jsonOptions = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true))

// Answer sets an answer encoded from v: struct members in declaration order, nil
// slices and maps as empty ones, nil pointers as null.
func (x *Exchange) Answer(status int, v any) error {
	buf := bytes.NewBuffer(x.body[:0])
	if err := json.MarshalWrite(buf, v, jsonOptions); err != nil {
		return err
	}
	return x.Respond(status, buf.Bytes())
}
