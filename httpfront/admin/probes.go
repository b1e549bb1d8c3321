package admin

import (
	"fmt"
	"net/http"
	"time"

	"shoal/httpfront/routing"
)

// Probes describes this process to supervisors and load balancers. It does not depend on
// the state of other nodes. Safe for concurrent use.
type Probes interface {
	// Stopping: the process was asked to end and still serves.
	Stopping() bool
	// Draining: the copies of this node are being moved to other nodes.
	Draining() bool
	// Behind is the number of log entries that this node knows but has not applied.
	Behind() uint64
	// Lacking is how many copies of shards on this node have not caught up since the
	// process began, although another node could supply the missing data. known is false
	// until the node has heard from a leader.
	Lacking() (copies int, known bool)
}

// maxBehind is how many unapplied entries a ready node may have: about a second's worth.
const maxBehind = 1000

// condition is one condition of readiness. trouble is empty if it holds.
type condition struct{ name, trouble string }

// serveLivez answers while the process can answer at all.
func serveLivez(x *routing.Exchange) error {
	return x.Plain(http.StatusOK, "ok\n")
}

// serveReadyz answers 200 if this node should get requests, otherwise 503. With ?verbose
// every condition has a line. With ?stale a node without contact to the leader is ready for
// as long as it answers reads.
func (h *Handlers) serveReadyz(x *routing.Exchange) error {
	query := x.HTTP.URL.Query()
	text, ready := "", true
	for _, c := range h.readiness(query.Has("stale")) {
		if c.trouble == "" {
			text += "[+] " + c.name + "\n"
			continue
		}
		ready = false
		text += "[-] " + c.name + ": " + c.trouble + "\n"
	}
	switch {
	case ready && !query.Has("verbose"):
		return x.Plain(http.StatusOK, "ok\n")
	case ready:
		return x.Plain(http.StatusOK, text+"ready\n")
	}
	return x.Plain(http.StatusServiceUnavailable, text+"not ready\n")
}

// readiness depends on this node alone. If it depended on others, one failing node could
// take all nodes out of service.
func (h *Handlers) readiness(stale bool) []condition {
	stopping, contact, imported := condition{name: "not stopping"}, condition{name: "contact to the leader"}, condition{name: "no import"}
	applied, undrained, caughtUp := condition{name: "log applied"}, condition{name: "not draining"}, condition{name: "copies caught up"}
	if h.Probes.Stopping() {
		stopping.trouble = "the process was asked to end"
	}
	if fresh, age := h.Lease.Lease(); !fresh && (!stale || time.Duration(age)*time.Second > h.MaxStaleness) {
		contact.trouble = fmt.Sprintf("none for %d s", age)
	}
	if why := h.Lease.Outside(); why != "" {
		contact.trouble = why
	}
	if h.Lease.Importing() {
		imported.trouble = "a dump or snapshot is being read in"
	}
	if n := h.Probes.Behind(); n > maxBehind {
		applied.trouble = fmt.Sprintf("%d entries are still to be applied", n)
	}
	// A rolling restart goes on to the next node when this one is ready, so this one must
	// be able to stand in for the next.
	switch n, known := h.Probes.Lacking(); {
	case !known:
		caughtUp.trouble = "no word from a leader since the start"
	case n > 0:
		caughtUp.trouble = fmt.Sprintf("%d copies of shards still fetch what they missed", n)
	}
	if h.Probes.Draining() {
		undrained.trouble = "its copies are being moved to other nodes"
	}
	return []condition{stopping, contact, imported, applied, caughtUp, undrained}
}
