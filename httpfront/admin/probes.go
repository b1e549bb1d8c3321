package admin

import (
	"fmt"
	"net/http"
	"time"

	"shoal/httpfront/routing"
)

// Probes tells how this process stands, for those who restart it or send it
// requests. What other nodes lack is no matter here. Safe for concurrent use.
type Probes interface {
	// Stopping: the process was asked to end and still serves.
	Stopping() bool
	// Draining: the copies of this node are being moved to others.
	Draining() bool
	// Behind is how many entries of the log this node knows of and has not applied.
	Behind() uint64
	// Lacking is how many copies of shards here have not caught up since the process
	// began, though another node could give them what they lack. known is false until the
	// node has heard from a leader.
	Lacking() (copies int, known bool)
}

// maxBehind is how many entries a ready node may have to apply: a second's worth.
const maxBehind = 1000

// condition is one condition of readiness; trouble is empty where it holds.
type condition struct{ name, trouble string }

// serveLivez answers while the process can answer at all.
func serveLivez(x *routing.Exchange) error {
	return x.Plain(http.StatusOK, "ok\n")
}

// serveReadyz answers 200 when this node should get requests, else 503. With
// ?verbose every check has a line; with ?stale a node without contact to the leader
// is ready for as long as it answers reads.
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

// readiness looks at this node alone: if it depended on other nodes, one of them
// could take all out of service.
func (h *Handlers) readiness(stale bool) []condition {
	stopping, contact, imported := condition{name: "not stopping"}, condition{name: "contact to the leader"}, condition{name: "no import"}
	applied, undrained, caughtUp := condition{name: "log applied"}, condition{name: "not draining"}, condition{name: "copies caught up"}
	if h.Probes.Stopping() {
		stopping.trouble = "the process was asked to end"
	}
	if fresh, age := h.Lease.Lease(); !fresh && (!stale || time.Duration(age)*time.Second > h.MaxStaleness) {
		contact.trouble = fmt.Sprintf("none for %d s", age)
	}
	if h.Lease.Importing() {
		imported.trouble = "a dump or snapshot is being read in"
	}
	if n := h.Probes.Behind(); n > maxBehind {
		applied.trouble = fmt.Sprintf("%d entries are still to be applied", n)
	}
	// Whoever restarts one node after the other goes on when this one is ready: it must
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
