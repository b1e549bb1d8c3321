package mcp

import (
	"net/http"
	"slices"
	"strconv"

	"shoal/api/jsonvalue"
	"shoal/httpfront/routing"
)

// versions are the supported versions that begin with a handshake, the newest last. Their
// differences do not concern a server that only has tools.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// maxMessages is how many messages one request may have.
const maxMessages = 100

// caller is the sender of messages: the tools it may use, and the request that calls are
// made for.
type caller struct {
	x     *routing.Exchange
	tools []*tool
	// key is the uid of its API key, also with a tenant token. It is "" for the master key and
	// on a server without keys.
	key string
	// headers are those of the message, nil for messages of a session.
	headers http.Header
}

// answerAll answers the messages of a body, one or a list. It returns nil if none needs an
// answer. status is the HTTP status for an answer outside of a session.
func (h *Handlers) answerAll(c *caller, v *jsonvalue.Value) (status int, answer []byte) {
	if v.Kind() != jsonvalue.KindArray {
		return h.answer(c, v)
	}
	if v.Len() == 0 || v.Len() > maxMessages {
		return http.StatusOK, refuse(codeInvalidRequest, "A request has 1 to "+strconv.Itoa(maxMessages)+" messages.").answer(nil)
	}
	if isStateless(c.headers, v) {
		return http.StatusBadRequest, refuse(codeInvalidRequest, "A request of version "+stateless+" has one message.").answer(nil)
	}
	var out []byte
	for i := range v.Members() {
		if _, one := h.answer(c, &v.Members()[i].Value); one != nil {
			out = append(append(out, ','), one...)
		}
	}
	if out == nil {
		return http.StatusOK, nil
	}
	out[0] = '['
	return http.StatusOK, append(out, ']')
}

// answer answers one message. It returns nil if the message needs none.
func (h *Handlers) answer(c *caller, m *jsonvalue.Value) (status int, answer []byte) {
	id, method := m.Get("id"), m.Get("method")
	if m.Kind() != jsonvalue.KindObject || method == nil || method.Kind() != jsonvalue.KindString {
		if id != nil && m.Get("method") == nil {
			return http.StatusOK, nil // an answer, although this server asks nothing
		}
		return http.StatusOK, refuse(codeInvalidRequest, "A message is an object with a `method`.").answer(id)
	}
	if id == nil {
		return http.StatusOK, nil // a notification, which has no effect here
	}
	params := m.Get("params")
	if params == nil {
		params = &jsonvalue.Value{}
	}
	status, perform := http.StatusOK, h.perform
	modern := isStateless(c.headers, params)
	if modern {
		perform = h.performStateless
	}
	result, r := perform(c, method.String(), params)
	if r == nil {
		o := begin(id)
		o.Raw("result", result)
		return status, o.End()
	}
	if modern {
		status = r.status()
	}
	return status, r.answer(id)
}

// perform carries out a request of the versions that begin with a handshake.
func (h *Handlers) perform(c *caller, method string, params *jsonvalue.Value) ([]byte, *refusal) {
	switch method {
	case "initialize":
		return h.introduce(params), nil
	case "ping":
		return []byte("{}"), nil
	case "tools/list":
		return c.list(), nil
	case "tools/call":
		return c.call(params)
	}
	return nil, noMethod(method)
}

// introduce answers initialize, with the client's version of the protocol or the newest.
func (h *Handlers) introduce(params *jsonvalue.Value) []byte {
	version := versions[len(versions)-1]
	if v := params.Get("protocolVersion"); v != nil && slices.Contains(versions, v.String()) {
		version = v.String()
	}
	o := jsonvalue.ObjectWriter{}
	o.Text("protocolVersion", version)
	h.describe(&o)
	o.Value("serverInfo", h.appendInfo)
	return o.End()
}

// describe writes what clients and models should know of this server.
func (h *Handlers) describe(o *jsonvalue.ObjectWriter) {
	o.Raw("capabilities", []byte(`{"tools":{"listChanged":false}}`))
	o.Text("instructions", "A search engine with the API of Meilisearch. Writes answer with a task: wait until get-task says `succeeded`. The key decides which tools and indexes there are.")
}

func (h *Handlers) appendInfo(dst []byte) []byte {
	info := jsonvalue.ObjectWriter{Buf: dst}
	info.Text("name", "shoal")
	info.Text("version", string(h.Version))
	return info.End()
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

// call uses a tool. A refusal by the route is a result for the model, which can correct
// its request.
func (c *caller) call(params *jsonvalue.Value) ([]byte, *refusal) {
	name, arguments := params.Get("name"), params.Get("arguments")
	if name == nil {
		return nil, refuse(codeInvalidParams, "Missing field `name`.")
	}
	i := slices.IndexFunc(c.tools, func(t *tool) bool { return t.name == name.String() })
	if i < 0 {
		return nil, refuse(codeInvalidParams, "There is no tool `"+name.String()+"` for this key.")
	}
	if arguments == nil {
		arguments = &jsonvalue.Value{}
	}
	t := c.tools[i]
	target, body, fault := t.request(arguments)
	if fault != nil {
		return content(fault.AppendJSON(nil), true), nil
	}
	status, answer := c.x.Within(t.route.Method, target, body, maxAnswer)
	return content(answer, status >= 400), nil
}

// maxAnswer bounds the answer of a tool, in bytes, because models read all of it.
const maxAnswer = 1 << 20

func content(text []byte, failed bool) []byte {
	out := jsonvalue.AppendString([]byte(`{"content":[{"type":"text","text":`), string(text))
	return append(strconv.AppendBool(append(out, `}],"isError":`...), failed), '}')
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
