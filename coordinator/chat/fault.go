package chat

import (
	"github.com/google/uuid"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// fault is an error that is sent to the client in the stream.
type fault struct {
	kind, message string
	code, param   *string
}

func transportFault(message string) *fault { return &fault{kind: "transport_error", message: message} }

// event returns the fault as an event.
func (f *fault) event() []byte {
	dst := jsonvalue.AppendString([]byte(`{"event_id":`), uuid.NewString())
	dst = jsonvalue.AppendString(append(dst, `,"type":"error","error":{"type":`...), f.kind)
	dst = appendOptional(append(dst, `,"code":`...), f.code)
	dst = jsonvalue.AppendString(append(dst, `,"message":`...), f.message)
	dst = appendOptional(append(dst, `,"param":`...), f.param)
	return append(dst, `,"event_id":null}}`...)
}

func appendOptional(dst []byte, s *string) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	return jsonvalue.AppendString(dst, *s)
}

// faultOf returns the fault for an API error.
func faultOf(err *apierr.Error) *fault {
	return &fault{kind: "response_error", message: err.Message, code: &err.Code.Name}
}

// refusal parses the error that a model's server returned: an object with a member error, or
// the error itself.
func refusal(answer []byte) *fault {
	v, err := jsonvalue.Parse(answer)
	if err != nil || v.Kind() != jsonvalue.KindObject {
		return &fault{kind: "reqwest_error", message: "error decoding response body"}
	}
	if inner := v.Get("error"); inner != nil && inner.Kind() == jsonvalue.KindObject {
		v = *inner
	}
	message := v.Get("message")
	if message == nil || message.Kind() != jsonvalue.KindString {
		return &fault{kind: "reqwest_error", message: "error decoding response body"}
	}
	f := &fault{kind: "unknown", message: message.String()}
	optional := func(name string) *string {
		t := v.Get(name)
		if t == nil || t.IsNull() {
			return nil
		}
		s := t.String()
		if t.Kind() != jsonvalue.KindString {
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
