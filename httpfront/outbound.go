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
	"strings"
	"syscall"
	"time"

	"shoal/api"
)

// Outbound makes HTTP calls to the outside: webhooks, other instances. Addresses
// of private networks are refused unless allowed, whatever name led to them, so
// that a client cannot reach through us what he cannot reach himself. Safe for
// concurrent use.
type Outbound struct{ client *http.Client }

// errForbiddenAddress refuses an address of a private network.
var errForbiddenAddress error = forbiddenAddress{}

// forbiddenAddress tells callers that trying again is of no use.
type forbiddenAddress struct{}

func (forbiddenAddress) Error() string {
	return "the address belongs to a private network that is not allowed"
}

// Forbidden is true: see coordinator/export.
func (forbiddenAddress) Forbidden() bool { return true }

// NewOutbound returns a client. allowed are networks in CIDR form, or "any".
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

// checkAddress is asked with the address that is about to be dialled.
func checkAddress(address string, allowed []netip.Prefix) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := target.Addr().Unmap()
	if ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedNetwork.Contains(ip) {
		return nil
	}
	for _, p := range allowed {
		if p.Contains(ip) {
			return nil
		}
	}
	return errForbiddenAddress
}

// sharedNetwork is the carriers' private range, which the library does not count
// as private.
var sharedNetwork = netip.MustParsePrefix("100.64.0.0/10")

// Post sends body to url and returns the status and the answer, of which at most
// limit bytes are read (an error when it is longer; 0 reads none). err means
// that no usable answer came. Headers override the client's own.
func (o *Outbound) Post(ctx context.Context, url string, headers []api.Entry[string], body []byte, limit int64) (status int, answer []byte, err error) {
	return o.Send(ctx, http.MethodPost, url, headers, body, limit)
}

// Send is Post with another method.
func (o *Outbound) Send(ctx context.Context, method, url string, headers []api.Entry[string], body []byte, limit int64) (status int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for _, h := range headers {
		r.Header.Set(h.Name, h.Value)
	}
	resp, err := o.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if limit == 0 {
		return resp.StatusCode, nil, nil
	}
	answer, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(answer)) > limit {
		err = fmt.Errorf("the answer is larger than %d bytes", limit)
	}
	return resp.StatusCode, answer, err
}

// Close drops idle connections.
func (o *Outbound) Close() { o.client.CloseIdleConnections() }
