package routing

import (
	"net/http"
	"net/url"
	"strings"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// pathNode is one segment of the tree of routes. A literal child wins over the
// parameter, as in the reference, which registers the literals first.
type pathNode struct {
	literals map[string]*pathNode
	param    *pathNode
	// routes are the methods of the path that ends here, in the order of the table, which
	// is the order of the Allow header.
	routes []*Route
}

// newPathTree builds the tree of a table.
func newPathTree(table []Route) *pathNode {
	root := &pathNode{}
	for i := range table {
		n := root
		for _, segment := range splitPath(table[i].Pattern) {
			n = n.child(segment)
		}
		n.routes = append(n.routes, &table[i])
	}
	return root
}

func (n *pathNode) child(segment string) *pathNode {
	if strings.HasPrefix(segment, "{") {
		if n.param == nil {
			n.param = &pathNode{}
		}
		return n.param
	}
	if n.literals == nil {
		n.literals = map[string]*pathNode{}
	}
	next := n.literals[segment]
	if next == nil {
		next = &pathNode{}
		n.literals[segment] = next
	}
	return next
}

// maxParams is the largest number of parameters in a pattern.
const maxParams = 2

// find returns the node of an escaped path and its decoded parameters. Repeated and
// trailing slashes are ignored (spec search-api 1.2). An escaped letter matches the letter.
// It allocates only if a segment needs decoding.
func (n *pathNode) find(path string) (found *pathNode, params [maxParams]string) {
	count := 0
	for {
		path = strings.TrimLeft(path, "/")
		if path == "" {
			break
		}
		segment, rest := path, ""
		if i := strings.IndexByte(path, '/'); i >= 0 {
			segment, rest = path[:i], path[i:]
		}
		path = rest
		plain := unescapeSegment(segment)
		if next := n.literals[plain]; next != nil {
			n = next
			continue
		}
		if n.param == nil || count == maxParams {
			return nil, params
		}
		n = n.param
		params[count] = plain
		count++
	}
	if len(n.routes) == 0 {
		return nil, params
	}
	return n, params
}

// route returns the row for a method, or nil.
func (n *pathNode) route(method string) *Route {
	for _, r := range n.routes {
		if r.Method == method {
			return r
		}
	}
	return nil
}

// allow is the value of the allow header.
func (n *pathNode) allow() string {
	methods := make([]string, len(n.routes))
	for i, r := range n.routes {
		methods[i] = r.Method
	}
	return strings.Join(methods, ", ")
}

// unescapeSegment decodes percent escapes. Bytes that are not UTF-8 become U+FFFD, which
// then fails every validation (spec write-api 1.1). A malformed escape stays.
func unescapeSegment(segment string) string {
	if strings.IndexByte(segment, '%') < 0 {
		return segment
	}
	decoded, err := url.PathUnescape(segment)
	if err != nil {
		return segment
	}
	return strings.ToValidUTF8(decoded, "\uFFFD")
}

func splitPath(pattern string) []string {
	return strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' })
}

// Handler answers one exchange: it sets the answer, or returns the error to answer with.
type Handler func(x *Exchange) error

// Route is one row of the API: everything that is known about a path and a method. The
// description of the API is made from it.
type Route struct {
	Method, Pattern string
	// Actions must all be held by the caller's key. A route without any is open.
	Actions []string
	Serve   Handler
	// OnIndex: the first parameter is an index uid that the key must cover.
	OnIndex bool
	// Leased routes are refused by a node that lost contact to the leader, because lists of
	// tasks must be current and writes need the leader. Searches and reads of documents go
	// on for a while (architecture 1, promise 4).
	Leased bool
	// Reads: the route changes nothing although its method is not GET.
	Reads bool
	// Partial routes are about the process or the cluster, not about its data. They answer
	// even while another node reads in a dump or snapshot.
	Partial bool

	// Query and Body are the tables that the handler decodes by, or nil.
	Query, Body decode.Describer
	// Schema describes a body that has no table.
	Schema func() jsonvalue.Value
	// Upload: the body may have any document format.
	Upload bool
	// NoBody: the route takes no body although its method has one.
	NoBody bool
	// Enqueues: success is 202 with the summary of a task.
	Enqueues bool
	// Status is the status of success unless Enqueues is set; 0 means 200.
	Status int
}

// Name identifies the route in logs. It is never the raw path, which may hold a key.
func (r *Route) Name() string { return r.Method + " " + r.Pattern }

// changes tells whether the route changes anything. Then the audit log records it.
func (r *Route) changes() bool { return r.Leased && !r.Reads && r.Method != http.MethodGet }

// writes tells whether the route changes the data of the cluster. Then a standby refuses it.
func (r *Route) writes() bool { return r.changes() && !r.Partial }
