package mcp

import (
	"net/http"
	"sync"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
)

// maxBody is the largest request, in bytes. Larger uploads have to use the routes of
// documents.
const maxBody = 4 << 20

// Handlers answer the route of the protocol. Safe for concurrent use.
type Handlers struct {
	// Version is the version of the API that is reported to clients.
	Version  api.Version
	tools    []*tool
	sessions *sessions
	close    func()
}

// New returns handlers that offer the routes of a table as tools.
func New(version api.Version, table []routing.Route) *Handlers {
	h := &Handlers{Version: version, tools: toolsOf(table), sessions: newSessions()}
	h.close = sync.OnceFunc(func() { close(h.sessions.closed) })
	return h
}

// Close ends all sessions.
func (h *Handlers) Close() { h.close() }

// Routes are the rows of the protocol.
func (h *Handlers) Routes() []routing.Route {
	const path = "/mcp"
	return []routing.Route{
		{Method: "POST", Pattern: path, Serve: h.serveMessages, Query: messageParameters, Schema: openapi.AnyObject},
		{Method: "GET", Pattern: path, Serve: h.serveSession},
	}
}

var messageParameters = decode.NewObject(
	decode.Optional("sessionId", apierr.Code{}, decode.String, func(id **string) **string { return id }),
)

// caller finds the tools that the key of a request may use. It fails if the feature is off,
// the key is missing, or the key permits no tool.
func (h *Handlers) caller(x *routing.Exchange) (*caller, error) {
	if !x.Features().MCPRoute {
		return nil, apierr.New(apierr.CodeFeatureNotEnabled, "Using the /mcp route requires enabling the `mcp route` experimental feature.")
	}
	c := &caller{x: x}
	var refusal error
	for _, t := range h.tools {
		rights, err := x.Grants(t.route.Actions)
		if err == nil {
			c.tools = append(c.tools, t)
			if rights.Key != nil {
				c.key = rights.Key.UID
			}
		} else if refusal == nil {
			refusal = err
		}
	}
	if len(c.tools) == 0 {
		return nil, refusal
	}
	return c, nil
}

func (h *Handlers) serveMessages(x *routing.Exchange) error {
	c, err := h.caller(x)
	if err != nil {
		return err
	}
	var sessionID *string
	if err := routing.ReadQuery(x, messageParameters, &sessionID); err != nil {
		return err
	}
	body, err := x.JSONBody()
	if err != nil {
		return err
	}
	if len(body) > maxBody {
		return apierr.DocumentsPayloadTooLarge(maxBody)
	}
	v, err := routing.ParseBody(body, routing.BodyTreeRoom)
	if err != nil {
		return err
	}
	if sessionID != nil {
		return h.inSession(x, c, *sessionID, &v)
	}
	c.headers = x.HTTP.Header
	status, answer := h.answerAll(c, &v)
	if answer == nil {
		return x.Empty(http.StatusAccepted)
	}
	return x.Respond(status, answer)
}

// inSession answers through the stream of a session.
func (h *Handlers) inSession(x *routing.Exchange, c *caller, id string, v *jsonvalue.Value) error {
	s := h.sessions.find(id, x.HTTP.Header.Get("Authorization"))
	if s == nil {
		return x.Plain(http.StatusNotFound, "This node has no such session. Begin one with GET /mcp, and send its messages to the same node.")
	}
	if _, answer := h.answerAll(c, v); answer != nil {
		select {
		case s.answers <- answer:
		default:
			return apierr.TooManySessions(maxSessions, maxUnread)
		}
	}
	return x.Plain(http.StatusAccepted, "Accepted")
}
