package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/coordinator/task"
	"shoal/wire"
)

// requestTimeout bounds one attempt of a request without documents. Each MiB of documents adds
// as much.
const requestTimeout = 5 * time.Second

// answerLimit bounds the bytes read of an answer.
const answerLimit = 1 << 20

// remote is the other instance.
type remote struct {
	*Exporter
	base   string
	common []decode.Entry[string]
	limit  int // bytes of documents in one request
}

var (
	jsonBody = []decode.Entry[string]{{Name: "Content-Type", Value: "application/json"}}
	linesGz  = []decode.Entry[string]{{Name: "Content-Type", Value: "application/x-ndjson"}, {Name: "Content-Encoding", Value: "gzip"}}
)

func newRemote(e *Exporter, body *task.ExportBody) (*remote, error) {
	target, err := url.Parse(body.URL)
	if err == nil && (target.Host == "" || target.Scheme != "http" && target.Scheme != "https") {
		err = fmt.Errorf("`%s` is not a URL of an instance", body.URL)
	}
	if err != nil {
		return nil, unsent(err, false)
	}
	r := &remote{Exporter: e, base: strings.TrimRight(body.URL, "/"), limit: int(max(e.cfg.PayloadLimit-defaultRoom, leastPayload))}
	if body.PayloadSize != nil {
		r.limit = int(min(max(*body.PayloadSize, 1), 1<<31-1))
	}
	if body.APIKey != nil {
		r.common = []decode.Entry[string]{{Name: "Authorization", Value: "Bearer " + *body.APIKey}}
	}
	return r, nil
}

// ensure creates a missing index there; fresh tells that it did.
func (r *remote) ensure(ctx context.Context, x *wire.Index) (fresh bool, err error) {
	err = r.send(ctx, http.MethodGet, "/indexes/"+x.UID, nil, nil)
	var refused *refusal
	if !errors.As(err, &refused) || refused.code != apierr.CodeIndexNotFound.Name {
		return false, failed(err)
	}
	body, err := json.Marshal(map[string]any{"uid": x.UID, "primaryKey": x.PrimaryKey})
	if err != nil {
		return false, err
	}
	return true, failed(r.send(ctx, http.MethodPost, "/indexes", jsonBody, body))
}

// send makes one request, with retries while the other side is not ready.
func (r *remote) send(ctx context.Context, method, path string, headers []decode.Entry[string], body []byte) error {
	headers = append(headers[:len(headers):len(headers)], r.common...)
	until := time.Now().Add(r.cfg.Retry)
	for attempt := 0; ; attempt++ {
		err := r.once(ctx, method, path, headers, body)
		var refused *refusal
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.As(err, &refused) || !refused.transient || time.Now().After(until):
			return err
		}
		if attempt == 3 {
			r.cfg.Progress.Warn("export: the other instance is not ready, trying again", "url", r.base+path, "error", err)
		}
		if err := r.cfg.pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func (r *remote) once(ctx context.Context, method, path string, headers []decode.Entry[string], body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout*time.Duration(1+len(body)>>20))
	defer cancel()
	status, answer, err := r.cfg.Out.Send(ctx, method, r.base+path, headers, body, answerLimit)
	if err != nil {
		var forbidden interface{ Forbidden() bool }
		return unsent(err, !errors.As(err, &forbidden) || !forbidden.Forbidden())
	}
	if status < 300 {
		return nil
	}
	return refusalOf(status, answer)
}

// refusal is an unsuccessful answer, or a missing one.
type refusal struct {
	code, kind, message, link string
	transient                 bool
}

func (f *refusal) Error() string {
	return fmt.Sprintf("Failed to export documents to remote server %s (%s): %s <%s>", f.code, f.kind, f.message, f.link)
}

// unsent returns the refusal for a request without an answer.
func unsent(err error, transient bool) *refusal {
	code := apierr.CodeRemoteCouldNotSendRequest
	return &refusal{code: code.Name, kind: code.Type, link: code.Link(), message: err.Error(), transient: transient}
}

func refusalOf(status int, answer []byte) *refusal {
	var e struct{ Message, Code, Type, Link string }
	if json.Unmarshal(answer, &e) != nil || e.Code == "" {
		bad := apierr.CodeRemoteBadResponse
		e.Code, e.Type, e.Link = bad.Name, bad.Type, bad.Link()
		e.Message = fmt.Sprintf("unexpected status %d", status)
	}
	f := &refusal{code: e.Code, kind: e.Type, message: e.Message, link: e.Link}
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		f.transient = true
	}
	return f
}

// failed returns the error of a task for a refusal.
func failed(err error) error {
	var refused *refusal
	if errors.As(err, &refused) {
		return apierr.New(apierr.CodeInternal, refused.Error())
	}
	return err
}

// parcel collects documents for one request.
type parcel struct {
	r    *remote
	path string
	body bytes.Buffer
	gz   *gzip.Writer
	size int
}

func newParcel(r *remote, uid string) *parcel {
	p := &parcel{r: r, path: "/indexes/" + uid + "/documents"}
	p.gz = gzip.NewWriter(&p.body)
	return p
}

// add adds a document, and sends the request before it would grow too large. A single document
// may exceed the limit.
func (p *parcel) add(ctx context.Context, doc []byte) error {
	if p.size > 0 && p.size+len(doc)+1 > p.r.limit {
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	for i, c := range doc { // a line break inside a document must not end its line
		if c == '\n' || c == '\r' {
			doc[i] = ' '
		}
	}
	p.size += len(doc) + 1
	_, err := p.gz.Write(append(doc, '\n'))
	return err
}

// flush sends the collected documents.
func (p *parcel) flush(ctx context.Context) error {
	if p.size == 0 {
		return nil
	}
	if err := p.gz.Close(); err != nil {
		return err
	}
	if err := p.r.send(ctx, http.MethodPost, p.path, linesGz, p.body.Bytes()); err != nil {
		return err
	}
	p.body.Reset()
	p.gz.Reset(&p.body)
	p.size = 0
	return nil
}
