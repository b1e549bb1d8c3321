package ctl

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"shoal/wire/await"
)

// Remote says how a command reaches a cluster. Commands embed it.
type Remote struct {
	URL     string `placeholder:"URL" help:"Any node of the cluster; several, separated by commas, are tried in turn (default: that of the context, else http://localhost:7700)."`
	APIKey  string `name:"api-key" placeholder:"KEY" help:"Master key, or a key that may do it. Better given as SHOAL_API_KEY: a command line can be read by others."`
	CACert  string `name:"cacert" placeholder:"FILE" help:"PEM authorities that vouch for the nodes, instead of those of the system."`
	Cert    string `name:"cert" placeholder:"FILE" help:"PEM certificate to show to nodes that demand one."`
	Key     string `name:"key" placeholder:"FILE" help:"PEM private key of --cert."`
	Context string `placeholder:"NAME" help:"A cluster named with 'shoal context set'."`
}

// client sends requests to a cluster. It is safe for concurrent use.
type client struct {
	nodes []string
	key   string
	http  *http.Client
	// retryFor is how long a request is repeated after a temporary fault; 0 asks each node
	// once.
	retryFor time.Duration
	pause    func(context.Context, time.Duration) error
}

// open finds the cluster: from the command line, else the context, else on this machine.
func (r *Remote) open() (*client, error) {
	where, key, files := r.URL, r.APIKey, tlsFiles{r.CACert, r.Cert, r.Key}
	if where == "" {
		named, err := readContexts()
		if err != nil {
			return nil, err
		}
		c, err := named.choose(r.Context)
		if err != nil {
			return nil, err
		}
		if c != nil {
			where = c.URL
			if key == "" {
				key = c.APIKey
			}
			files = files.orElse(tlsFiles{c.CACert, c.Cert, c.Key})
		}
	}
	if where == "" {
		where = "http://localhost:7700"
	}
	transport, err := files.transport()
	if err != nil {
		return nil, err
	}
	c := &client{key: key, retryFor: 2 * time.Minute, pause: await.Sleep, http: &http.Client{Timeout: 10 * time.Minute, Transport: transport}}
	for node := range strings.SplitSeq(where, ",") {
		node = strings.TrimRight(strings.TrimSpace(node), "/")
		if u, err := url.Parse(node); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, Usage{fmt.Errorf("--url %q is not an address such as http://localhost:7700", node)}
		}
		c.nodes = append(c.nodes, node)
	}
	return c, nil
}

// Usage is a mistake on the command line: exit status 2.
type Usage struct{ error }

// Unwrap returns the mistake.
func (u Usage) Unwrap() error { return u.error }

// refusal is an error answer of the API.
type refusal struct {
	Status  int
	Message string `json:"message"`
	Code    string `json:"code"`
}

func (r *refusal) Error() string {
	if r.Code == "" {
		return fmt.Sprintf("the cluster answers %d %s", r.Status, http.StatusText(r.Status))
	}
	return r.Message
}

// passing tells whether a fault may be temporary.
func passing(err error) bool {
	var r *refusal
	if errors.As(err, &r) {
		return r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable || r.Status == http.StatusBadGateway || r.Status == http.StatusGatewayTimeout
	}
	var untrusted *tls.CertificateVerificationError
	return !errors.Is(err, context.Canceled) && !errors.As(err, &untrusted)
}

// call sends in as JSON (nil for no body) and decodes the answer into out (nil to ignore
// it). After a temporary fault it asks the next node again, for retryFor.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
	}
	answer, err := c.send(ctx, method, path, "application/json", body)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("the answer of the cluster is not understood: %w", err)
	}
	return nil
}

// send sends a body and returns the answer's body. It repeats after temporary faults.
func (c *client) send(ctx context.Context, method, path, kind string, body []byte) ([]byte, error) {
	began := time.Now()
	for try := 0; ; try++ {
		answer, err := c.once(ctx, c.nodes[try%len(c.nodes)], method, path, kind, body)
		if err == nil || !passing(err) || ctx.Err() != nil {
			return answer, err
		}
		switch {
		case c.retryFor == 0 && try+1 < len(c.nodes):
			continue
		case c.retryFor == 0:
			return nil, err
		case time.Since(began) > c.retryFor:
			return nil, fmt.Errorf("tried for %s: %w", c.retryFor, err)
		}
		if err := c.pause(ctx, min(100*time.Millisecond<<min(try, 6), 5*time.Second)); err != nil {
			return nil, err
		}
	}
}

// largestAnswer bounds how much of an answer is read, in bytes.
const largestAnswer = 256 << 20

func (c *client) once(ctx context.Context, node, method, path, kind string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, node+path, bytes.NewReader(body))
	if err != nil {
		return nil, Usage{fmt.Errorf("--url %q: %w", node, err)}
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", kind)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no answer from %s (is the node running? --url names another): %w", node, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, largestAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", node, err)
	}
	if res.StatusCode >= 300 {
		r := &refusal{Status: res.StatusCode}
		if json.Unmarshal(answer, r) != nil {
			r.Code = "" // not our answer, but perhaps a proxy's page
		}
		return nil, r
	}
	return answer, nil
}
