package routing

import (
	"bytes"
	"net"
	"strconv"
)

// Change is one request that changed the cluster, or was accepted to do so. It holds no
// secret and no part of a body.
type Change struct {
	// Route is the method and the pattern of the path. Index is the index that the path
	// names.
	Route, Index string
	Status       int
	// Task is the uid of the task that the request made, or nil.
	Task *uint64
	// Key is the uid of the caller's key, "master" for the master key, or "" on a server
	// without keys.
	Key string
	// Address is where the request came from. Forwarded is what a proxy says about that.
	Address, Forwarded string
}

// maxForwarded bounds what is kept of a header that anybody may write, in bytes.
const maxForwarded = 256

// audit reports a request that changed something to the audit log. It runs before the
// answer is sent, so that no client knows of a change that is not in the log.
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

// madeTask reads the uid of a task out of an answer that is a task summary.
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
