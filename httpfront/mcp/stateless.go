package mcp

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
)

// stateless is the version of the protocol without a handshake. Each request names it in
// its metadata, and its headers repeat the values that proxies route by.
const stateless = "2026-07-28"

// Members of the metadata of stateless requests and answers.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// listLife is how long clients may keep what server/discover and tools/list answered, in
// milliseconds. Only an edit of the key or another program changes the tools, and each call
// checks the key again.
const listLife = 60_000

// isStateless tells whether a request is of the stateless version, or of a later one.
func isStateless(headers http.Header, params *jsonvalue.Value) bool {
	return metaOf(params).Get(metaVersion) != nil || headers.Get("Mcp-Protocol-Version") == stateless
}

func metaOf(params *jsonvalue.Value) *jsonvalue.Value {
	if meta := params.Get("_meta"); meta != nil {
		return meta
	}
	return &jsonvalue.Value{}
}

// admit checks a stateless request before its method is looked at. headers are nil in a
// session, whose messages have none of their own.
func admit(headers http.Header, method string, params *jsonvalue.Value) *refusal {
	version, capabilities := metaOf(params).Get(metaVersion), metaOf(params).Get(metaCapabilities)
	if version == nil || version.Kind() != jsonvalue.KindString || capabilities == nil {
		return refuse(codeInvalidParams, "`params._meta` needs `"+metaVersion+"`, a string, and `"+metaCapabilities+"`.")
	}
	if headers != nil {
		repeated := [][2]string{{"Mcp-Protocol-Version", version.String()}, {"Mcp-Method", method}}
		if name := params.Get("name"); name != nil && method == "tools/call" {
			repeated = append(repeated, [2]string{"Mcp-Name", name.String()})
		}
		for _, pair := range repeated {
			if got := headers.Values(pair[0]); len(got) != 1 || headerText(got[0]) != pair[1] {
				return refuse(codeHeaderMismatch, "The header `"+pair[0]+"` must be given once and repeat the value in the body.")
			}
		}
	}
	if version.String() != stateless {
		r := refuse(codeUnsupportedVersion, "This server does not speak version `"+version.String()+"` of the protocol.")
		o := jsonvalue.ObjectWriter{}
		o.Raw("supported", supported())
		o.Text("requested", version.String())
		r.data = o.End()
		return r
	}
	return nil
}

// headerText reads a header that may be written in base64, for text that headers cannot have.
func headerText(value string) string {
	if coded, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(coded, "?=")); err == nil {
			return string(text)
		}
	}
	return value
}

// performStateless carries out a request of the stateless version.
func (h *Handlers) performStateless(c *caller, method string, params *jsonvalue.Value) ([]byte, *refusal) {
	if r := admit(c.headers, method, params); r != nil {
		return nil, r
	}
	switch method {
	case "server/discover":
		return complete(h.discover(), true), nil
	case "tools/list":
		return complete(c.list(), true), nil
	case "tools/call":
		result, r := c.call(params)
		if r != nil {
			return nil, r
		}
		return complete(result, false), nil
	}
	return nil, noMethod(method)
}

// discover answers server/discover, the stateless way of an introduction.
func (h *Handlers) discover() []byte {
	o := jsonvalue.ObjectWriter{}
	o.Raw("supportedVersions", supported())
	h.describe(&o)
	o.Value("_meta", func(dst []byte) []byte {
		meta := jsonvalue.ObjectWriter{Buf: dst}
		meta.Value(metaServer, h.appendInfo)
		return meta.End()
	})
	return o.End()
}

// supported is the list of all versions in JSON.
func supported() []byte {
	list := jsonvalue.ArrayOfStrings(append(slices.Clone(versions), stateless))
	return list.AppendJSON(nil)
}

// complete adds the members that every stateless result has, and those of results that
// clients may keep.
func complete(result []byte, cacheable bool) []byte {
	o := jsonvalue.ObjectWriter{}
	o.Text("resultType", "complete")
	if cacheable {
		o.Count("ttlMs", listLife)
		o.Text("cacheScope", "private")
	}
	o.Adopt(result)
	return o.End()
}
