package httpfront

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"shoal/api"
	"shoal/api/decode"
)

// Outbound sends HTTP requests to external servers: webhooks, other instances. It refuses
// addresses of private networks unless they are allowed. The check looks at the resolved
// address, so that a client cannot use the server to reach hosts that it cannot reach
// itself. Safe for concurrent use.
type Outbound struct{ client *http.Client }

// errForbiddenAddress refuses an address of a private network.
var errForbiddenAddress error = forbiddenAddress{}

// forbiddenAddress tells callers that a retry is useless.
type forbiddenAddress struct{}

func (forbiddenAddress) Error() string {
	return "the address belongs to a private network that is not allowed"
}

// Forbidden is true. coordinator/backup/export looks for this method.
func (forbiddenAddress) Forbidden() bool { return true }

// NewOutbound returns a client. allowed holds networks in CIDR form, or "any".
func NewOutbound(allowed []string) (*Outbound, error) {
	var networks []netip.Prefix
	anywhere := false
	for _, text := range allowed {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if strings.EqualFold(text, "any") {
			anywhere = true
			continue
		}
		p, err := parseNetwork(text)
		if err != nil {
			return nil, fmt.Errorf("allowed network %q: %w", text, err)
		}
		networks = append(networks, p)
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if !anywhere {
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return checkAddress(address, networks) }
	}
	transport := &http.Transport{
		DialContext: dialer.DialContext, MaxIdleConnsPerHost: 32, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, DisableCompression: true, ForceAttemptHTTP2: true,
	}
	return &Outbound{client: &http.Client{Transport: transport}}, nil
}

// parseNetwork accepts "10.0.0.0/8" and a bare address.
func parseNetwork(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		return p.Masked(), err
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(a, a.BitLen()), nil
}

// checkAddress is called with each address before it is dialled.
func checkAddress(address string, allowed []netip.Prefix) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := target.Addr().Unmap()
	if public(ip) {
		inside, translated := embedded(ip)
		if !translated || public(inside) {
			return nil
		}
	}
	for _, p := range allowed {
		if p.Contains(ip) {
			return nil
		}
	}
	return errForbiddenAddress
}

func public(ip netip.Addr) bool {
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedNetwork.Contains(ip)
}

// Networks of IPv6 addresses that stand for an IPv4 address: a translator or tunnel
// delivers packets there.
var (
	translated      = netip.MustParsePrefix("64:ff9b::/96")   // RFC 6052
	translatedLocal = netip.MustParsePrefix("64:ff9b:1::/48") // RFC 8215: each network chooses where the IPv4 address stands
	sixToFour       = netip.MustParsePrefix("2002::/16")      // RFC 3056
	teredo          = netip.MustParsePrefix("2001::/32")      // RFC 4380
	compatible      = netip.MustParsePrefix("::/96")          // RFC 4291, deprecated
)

// embedded is the IPv4 address that an IPv6 address stands for, or the zero address if that
// cannot be told.
func embedded(ip netip.Addr) (inside netip.Addr, ok bool) {
	if !ip.Is6() {
		return netip.Addr{}, false
	}
	b := ip.As16()
	switch {
	case translated.Contains(ip), compatible.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case teredo.Contains(ip):
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	case translatedLocal.Contains(ip):
		return netip.Addr{}, true
	}
	return netip.Addr{}, false
}

// sharedNetwork is the private range of carriers. The library does not count it as private.
var sharedNetwork = netip.MustParsePrefix("100.64.0.0/10")

// Post sends body to url and returns the status and the answer. A longer answer than limit
// bytes is an error; 0 reads none. err means that no usable answer came. headers override
// the client's own.
func (o *Outbound) Post(ctx context.Context, url string, headers []decode.Entry[string], body []byte, limit int64) (status int, answer []byte, err error) {
	return o.Send(ctx, http.MethodPost, url, headers, body, limit)
}

// Send is Post with another method.
func (o *Outbound) Send(ctx context.Context, method, url string, headers []decode.Entry[string], body []byte, limit int64) (status int, answer []byte, err error) {
	reply, err := o.send(ctx, method, url, headers, body, limit)
	return reply.Status, reply.Body, err
}

// Ask is Post that also returns the pause that the server asks for.
func (o *Outbound) Ask(ctx context.Context, url string, headers []decode.Entry[string], body []byte, limit int64) (api.Reply, error) {
	return o.send(ctx, http.MethodPost, url, headers, body, limit)
}

func (o *Outbound) send(ctx context.Context, method, url string, headers []decode.Entry[string], body []byte, limit int64) (reply api.Reply, err error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return api.Reply{}, err
	}
	setHeaders(r, headers)
	resp, err := o.client.Do(r)
	if err != nil {
		return api.Reply{}, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	reply.Status, reply.RetryAfter = resp.StatusCode, retryAfter(resp.Header, time.Now())
	if limit == 0 {
		return reply, nil
	}
	reply.Body, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(reply.Body)) > limit {
		err = fmt.Errorf("the answer is larger than %d bytes", limit)
	}
	return reply, err
}

// setHeaders makes headers override the client's own. The library takes Host from a field.
func setHeaders(r *http.Request, headers []decode.Entry[string]) {
	for _, h := range headers {
		r.Header.Set(h.Name, h.Value)
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
}

// retryAfter reads the header Retry-After (RFC 9110, 10.2.3): seconds, or a date, which is
// compared with the server's own clock if the answer has a Date. It returns 0 for anything
// else.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return max(0, until.Sub(now))
}

// Open posts body and returns the answer as a stream, which the caller closes. ctx ends it.
func (o *Outbound) Open(ctx context.Context, url string, headers []decode.Entry[string], body []byte) (status int, contentType string, answer io.ReadCloser, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	setHeaders(r, headers)
	resp, err := o.client.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), resp.Body, nil
}

// Close drops idle connections.
func (o *Outbound) Close() { o.client.CloseIdleConnections() }
