package routing

import (
	"net/http"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Handler answers one exchange: it sets the answer, or returns the error to
// answer with.
type Handler func(x *Exchange) error

// Route is one row of the API: all that is known about a path and a method stands
// here, and the description of the API is made from it.
type Route struct {
	Method, Pattern string
	// Actions must all be held by the caller's key; none: the route is open.
	Actions []string
	Serve   Handler
	// OnIndex: the first parameter is an index uid that the key must cover.
	OnIndex bool
	// Leased routes are refused by a node that lost contact to the leader: lists of
	// tasks must be current, writes need the leader. Searches and reads of documents
	// go on for a while (architecture 1, promise 4).
	Leased bool
	// Partial routes answer while a dump or snapshot is being read in, by a node
	// that is not the one to read it: what is asked about the process or the cluster,
	// not about its data.
	Partial bool

	// Query and Body are the tables that the handler decodes by, nil for none.
	Query, Body decode.Describer
	// Schema describes a body that has no table.
	Schema func() jsonvalue.Value
	// Upload: the body may have any of the document formats.
	Upload bool
	// NoBody: the route takes no body although its method has one.
	NoBody bool
	// Enqueues: success is 202 with the summary of a task.
	Enqueues bool
	// Status is that of success otherwise, 0 for 200.
	Status int
}

// Name identifies the route in logs: never the raw path, which may hold a key.
func (r *Route) Name() string { return r.Method + " " + r.Pattern }

// writes: the route changes what the cluster holds; a standby refuses it.
func (r *Route) writes() bool { return r.Leased && !r.Partial && r.Method != http.MethodGet }
