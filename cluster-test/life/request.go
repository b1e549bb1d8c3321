package life

import (
	"fmt"

	clustertest "shoal/cluster-test"
)

// Request is one call, the same for every server. Writes end in a task.
type Request struct {
	Method, Path string
	Body         any // nil, []byte (NDJSON), clustertest.CSV or json.RawMessage
	Write        bool
	// Together: the request does not wait for the one before. A deletion in a
	// batch with others reports all its ids as deleted.
	Together bool
	// Key is sent in place of the one that the server was given; "" sends that one.
	Key string
}

func (r *Request) String() string {
	if r.Key != "" {
		named := *r
		named.Key = ""
		return fmt.Sprintf("%s with the key %s", &named, r.Key)
	}
	switch b := r.Body.(type) {
	case nil:
		return r.Method + " " + r.Path
	case []byte:
		return fmt.Sprintf("%s %s NDJSON %q", r.Method, r.Path, b)
	case clustertest.CSV:
		return fmt.Sprintf("%s %s CSV %q", r.Method, r.Path, []byte(b))
	default:
		return fmt.Sprintf("%s %s %s", r.Method, r.Path, b)
	}
}
