package chat

import (
	"github.com/google/uuid"

	"shoal/api"
)

// fault is what a client is told in the stream when something goes wrong.
type fault struct {
	kind, message string
	code, param   *string
}

func transportFault(message string) *fault { return &fault{kind: "transport_error", message: message} }

// event is the fault as an event.
func (f *fault) event() []byte {
	dst := api.AppendString([]byte(`{"event_id":`), uuid.NewString())
	dst = api.AppendString(append(dst, `,"type":"error","error":{"type":`...), f.kind)
	dst = appendOptional(append(dst, `,"code":`...), f.code)
	dst = api.AppendString(append(dst, `,"message":`...), f.message)
	dst = appendOptional(append(dst, `,"param":`...), f.param)
	return append(dst, `,"event_id":null}}`...)
}

func appendOptional(dst []byte, s *string) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	return api.AppendString(dst, *s)
}

// faultOf is an error of ours.
func faultOf(err *api.Error) *fault {
	return &fault{kind: "response_error", message: err.Message, code: &err.Code.Name}
}

// refusal reads what a model's server says instead of an answer: an object with a
// member error, or the error itself.
func refusal(answer []byte) *fault {
	v, err := api.ParseJSON(answer)
	if err != nil || v.Kind() != api.KindObject {
		return &fault{kind: "reqwest_error", message: "error decoding response body"}
	}
	if inner := v.Get("error"); inner != nil && inner.Kind() == api.KindObject {
		v = *inner
	}
	message := v.Get("message")
	if message == nil || message.Kind() != api.KindString {
		return &fault{kind: "reqwest_error", message: "error decoding response body"}
	}
	f := &fault{kind: "unknown", message: message.String()}
	optional := func(name string) *string {
		t := v.Get(name)
		if t == nil || t.IsNull() {
			return nil
		}
		s := t.String()
		if t.Kind() != api.KindString {
			s = t.JSON()
		}
		return &s
	}
	if kind := optional("type"); kind != nil {
		f.kind = *kind
	}
	f.code, f.param = optional("code"), optional("param")
	return f
}
