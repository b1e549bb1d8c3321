package mcp

import (
	"slices"
	"strconv"

	"shoal/api/jsonvalue"
	"shoal/httpfront/routing"
)

// versions are the supported versions of the protocol, the newest last. Their differences
// do not concern a server that only has tools.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// Codes of JSON-RPC.
const (
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
)

// maxMessages is how many messages one request may have.
const maxMessages = 100

// caller is the sender of messages: the tools it may use, and the request that calls are
// made for.
type caller struct {
	x     *routing.Exchange
	tools []*tool
}

// answerAll answers the messages of a body, one or a list. It returns nil if none needs an
// answer.
func (h *Handlers) answerAll(c *caller, v *jsonvalue.Value) []byte {
	if v.Kind() != jsonvalue.KindArray {
		return h.answer(c, v)
	}
	if v.Len() == 0 || v.Len() > maxMessages {
		return failure(nil, codeInvalidRequest, "A request has 1 to "+strconv.Itoa(maxMessages)+" messages.")
	}
	var out []byte
	for i := range v.Members() {
		if one := h.answer(c, &v.Members()[i].Value); one != nil {
			out = append(append(out, ','), one...)
		}
	}
	if out == nil {
		return nil
	}
	out[0] = '['
	return append(out, ']')
}

// answer answers one message. It returns nil if the message needs none.
func (h *Handlers) answer(c *caller, m *jsonvalue.Value) []byte {
	id, method := m.Get("id"), m.Get("method")
	if m.Kind() != jsonvalue.KindObject || method == nil || method.Kind() != jsonvalue.KindString {
		if id != nil && m.Get("method") == nil {
			return nil // an answer, although this server asks nothing
		}
		return failure(id, codeInvalidRequest, "A message is an object with a `method`.")
	}
	if id == nil {
		return nil // a notification, which has no effect here
	}
	params := m.Get("params")
	if params == nil {
		params = &jsonvalue.Value{}
	}
	switch method.String() {
	case "initialize":
		return result(id, h.introduce(params))
	case "ping":
		return result(id, []byte("{}"))
	case "tools/list":
		return result(id, c.list())
	case "tools/call":
		name := params.Get("name")
		if name == nil {
			return failure(id, codeInvalidParams, "Missing field `name`.")
		}
		i := slices.IndexFunc(c.tools, func(t *tool) bool { return t.name == name.String() })
		if i < 0 {
			return failure(id, codeInvalidParams, "There is no tool `"+name.String()+"` for this key.")
		}
		arguments := params.Get("arguments")
		if arguments == nil {
			arguments = &jsonvalue.Value{}
		}
		return result(id, c.call(c.tools[i], arguments))
	}
	return failure(id, codeNoMethod, "There is no method `"+method.String()+"`.")
}

// introduce answers initialize, with the client's version of the protocol or the newest.
func (h *Handlers) introduce(params *jsonvalue.Value) []byte {
	version := versions[len(versions)-1]
	if v := params.Get("protocolVersion"); v != nil && slices.Contains(versions, v.String()) {
		version = v.String()
	}
	o := jsonvalue.ObjectWriter{}
	o.Text("protocolVersion", version)
	o.Raw("capabilities", []byte(`{"tools":{"listChanged":false}}`))
	o.Value("serverInfo", func(dst []byte) []byte {
		info := jsonvalue.ObjectWriter{Buf: dst}
		info.Text("name", "shoal")
		info.Text("version", string(h.Version))
		return info.End()
	})
	o.Text("instructions", "A search engine with the API of Meilisearch. Writes answer with a task: wait until get-task says `succeeded`. The key decides which tools and indexes there are.")
	return o.End()
}

func (c *caller) list() []byte {
	out := []byte(`{"tools":[`)
	for i, t := range c.tools {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, t.described()...)
	}
	return append(out, "]}"...)
}

// call uses a tool. A refusal by the route is an answer for the model, which can correct
// its request.
func (c *caller) call(t *tool, arguments *jsonvalue.Value) []byte {
	target, body, fault := t.request(arguments)
	if fault != nil {
		return content(fault.AppendJSON(nil), true)
	}
	status, answer := c.x.Within(t.route.Method, target, body, maxAnswer)
	return content(answer, status >= 400)
}

// maxAnswer bounds the answer of a tool, in bytes, because models read all of it.
const maxAnswer = 1 << 20

func content(text []byte, failed bool) []byte {
	out := jsonvalue.AppendString([]byte(`{"content":[{"type":"text","text":`), string(text))
	return append(strconv.AppendBool(append(out, `}],"isError":`...), failed), '}')
}

func result(id *jsonvalue.Value, body []byte) []byte {
	o := begin(id)
	o.Raw("result", body)
	return o.End()
}

func failure(id *jsonvalue.Value, code int, message string) []byte {
	o := begin(id)
	o.Value("error", func(dst []byte) []byte {
		e := jsonvalue.ObjectWriter{Buf: dst}
		e.Value("code", func(dst []byte) []byte { return strconv.AppendInt(dst, int64(code), 10) })
		e.Text("message", message)
		return e.End()
	})
	return o.End()
}

func begin(id *jsonvalue.Value) jsonvalue.ObjectWriter {
	o := jsonvalue.ObjectWriter{}
	o.Text("jsonrpc", "2.0")
	if id == nil {
		o.Null("id")
	} else {
		o.Value("id", id.AppendJSON)
	}
	return o
}
