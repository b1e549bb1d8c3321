package mcp

import (
	"net/http"
	"strconv"

	"shoal/api/jsonvalue"
)

// Codes of JSON-RPC, and below them those of the stateless version.
const (
	codeInvalidRequest     = -32600
	codeNoMethod           = -32601
	codeInvalidParams      = -32602
	codeHeaderMismatch     = -32020
	codeUnsupportedVersion = -32022
)

// refusal is an error of the protocol. Errors of the API are results of tools instead.
type refusal struct {
	code    int
	message string
	data    []byte // JSON, or nil
}

func refuse(code int, message string) *refusal { return &refusal{code: code, message: message} }

func noMethod(method string) *refusal {
	return refuse(codeNoMethod, "There is no method `"+method+"`.")
}

// status is the HTTP status that the stateless version wants. The older ones send 200.
func (r *refusal) status() int {
	if r.code == codeNoMethod {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// answer is the message that refuses the request id, which is nil if it is unknown.
func (r *refusal) answer(id *jsonvalue.Value) []byte {
	o := begin(id)
	o.Value("error", func(dst []byte) []byte {
		e := jsonvalue.ObjectWriter{Buf: dst}
		e.Value("code", func(dst []byte) []byte { return strconv.AppendInt(dst, int64(r.code), 10) })
		e.Text("message", r.message)
		if r.data != nil {
			e.Raw("data", r.data)
		}
		return e.End()
	})
	return o.End()
}
