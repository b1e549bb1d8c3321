package routing

import (
	"context"
	"net"
	"net/netip"
	"time"

	"shoal/api/apierr"
	"shoal/httpfront/queue"
)

// searchTime bounds the uninterrupted work of a search: from its admission, or the end of
// its last part, to its answer or its next part. Ranking stops much sooner
// (searchCutoffMs). This bound is for filters, facets and sorting, which have no cutoff.
const searchTime = 60 * time.Second

// allowance ends the context of a search that has worked for searchTime.
type allowance struct {
	timer *time.Timer
	end   context.CancelCauseFunc
}

// begin grants the search its full time. The first call makes the context that ends.
func (x *Exchange) begin() {
	if x.allowed.timer != nil {
		x.allowed.timer.Reset(searchTime)
		return
	}
	ctx, end := context.WithCancelCause(x.Context())
	x.ctx = ctx
	x.allowed = allowance{timer: time.AfterFunc(searchTime, func() { end(errTooLong) }), end: end}
}

// pause stops the clock of the search while its client reads.
func (a *allowance) pause() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// close releases what the context holds.
func (a *allowance) close() {
	if a.timer != nil {
		a.timer.Stop()
		a.end(nil)
	}
}

var errTooLong = apierr.SearchTooLong(searchTime)

// Admit waits for a search permit, which the exchange holds until its answer is ready to be
// sent. It precedes the decoding of the request, so that only running searches take memory.
func (x *Exchange) Admit() (err error) {
	if x.searchEnded, err = x.server.keys.search(x.Auth.Key); err != nil {
		return err
	}
	begun := time.Now()
	x.permit, err = x.server.queue.Enter(x.Context(), x.client())
	x.Waited, x.searched = time.Since(begun), err == nil
	if err == nil {
		x.begin()
	}
	return err
}

// Enter waits for one more permit for the caller, besides that of the exchange. The caller
// must call its Leave once.
func (x *Exchange) Enter(ctx context.Context) (queue.Permit, error) {
	ended, err := x.server.keys.search(x.Auth.Key)
	if err != nil {
		return queue.Permit{}, err
	}
	p, err := x.server.queue.Enter(ctx, x.client())
	if err != nil {
		ended()
		return queue.Permit{}, err
	}
	p.Ended = ended
	return p, nil
}

// Turn passes the permit of a client with many searches on to a client with few, and waits
// for another permit. It is called between the parts of a long search, each of which has
// searchTime.
func (x *Exchange) Turn() error {
	x.allowed.pause()
	if err := x.permit.Turn(x.Context()); err != nil {
		return err
	}
	x.begin()
	return nil
}

// depart gives the permit back if the exchange holds one.
func (x *Exchange) depart() {
	x.allowed.pause()
	if x.permit.Held() {
		x.permit.Leave()
		x.permit = queue.Permit{}
	}
}

// client names the client of a request.
func (x *Exchange) client() queue.Client {
	c := queue.Client{Host: x.HTTP.RemoteAddr}
	if host, _, err := net.SplitHostPort(c.Host); err == nil {
		c.Host = host
	}
	// One IPv6 client has 2^64 addresses.
	if at, err := netip.ParseAddr(c.Host); err == nil && at.Is6() && !at.Is4In6() {
		if net, err := at.WithZone("").Prefix(64); err == nil {
			c.Host = net.String()
		}
	}
	if x.Auth.Key != nil {
		c.Key = x.Auth.Key.UID
	}
	return c
}
