package routing

import (
	"bytes"
	"net"
	"strconv"
)

// Change is one request that changed the cluster, or was accepted to. It holds no secret
// and nothing of a body.
type Change struct {
	// Route is the method and the pattern of the path, Index the index that the path names.
	Route, Index string
	Status       int
	// Task is the uid of the task that the request made, nil without one.
	Task *uint64
	// Key is the uid of the caller's key, "master" for the master key, "" on a server that
	// has none.
	Key string
	// Address is where the request came from, Forwarded what a proxy says of that.
	Address, Forwarded string
}

// maxForwarded is how much of a header is kept that anybody may write.
const maxForwarded = 256

// audit tells the audit log of a request that changed something. It comes before the
// answer is sent: what a client knows to be accepted is written.
func (s *Server) audit(x *Exchange) {
	if s.cfg.Audit == nil || !x.route.changes() || x.status >= 300 {
		return
	}
	c := Change{Route: x.route.Name(), Status: x.status, Address: x.HTTP.RemoteAddr, Task: madeTask(x)}
	if host, _, err := net.SplitHostPort(c.Address); err == nil {
		c.Address = host
	}
	if told := x.HTTP.Header.Get("X-Forwarded-For"); told != "" {
		c.Forwarded = told[:min(len(told), maxForwarded)]
	}
	if x.route.OnIndex {
		c.Index = x.params[0]
	}
	if x.Auth.Key != nil {
		c.Key = x.Auth.Key.UID
	}
	s.cfg.Audit(c)
}

// madeTask reads the uid of a task out of the summary that the answer is.
func madeTask(x *Exchange) *uint64 {
	rest, ok := bytes.CutPrefix(x.body, []byte(`{"taskUid":`))
	if !ok {
		return nil
	}
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return nil
	}
	uid, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	if err != nil {
		return nil
	}
	return &uid
}
