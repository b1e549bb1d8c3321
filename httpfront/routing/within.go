package routing

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"shoal/api/apierr"
	"shoal/httpfront/auth"
	"shoal/httpfront/connection"
)

// Grants returns what the caller may do if the key of the request permits the actions on any
// index, otherwise the refusal.
func (x *Exchange) Grants(actions []string) (auth.Rights, error) {
	return x.server.gate.Auth.Authorize(x.HTTP, auth.Need{Actions: actions})
}

// AllowOnly answers that the path takes only another method.
func (x *Exchange) AllowOnly(method string) {
	x.writer.Header().Set("Allow", method)
	x.status, x.contentType, x.body = http.StatusMethodNotAllowed, "", x.body[:0]
}

// Within sends a request to another route on behalf of the caller. It uses the caller's
// key, so that the same permissions apply, and the caller's address, so that its searches
// wait in the queue with the caller's others. target is a path with its query string, body
// is JSON or nil. An answer longer than most bytes is refused.
func (x *Exchange) Within(method, target string, body []byte, most int) (status int, answer []byte) {
	to, err := url.ParseRequestURI(target)
	if err != nil {
		return refused(apierr.New(apierr.CodeBadRequest, err.Error()))
	}
	// The connection counts for the outer request only.
	ctx := connection.Without(x.Context())
	r, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return refused(apierr.New(apierr.CodeBadRequest, err.Error()))
	}
	r.RemoteAddr, r.RequestURI = x.HTTP.RemoteAddr, target
	if key, ok := x.HTTP.Header["Authorization"]; ok {
		r.Header["Authorization"] = key
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	out := &bounded{head: http.Header{}, most: most}
	if !out.serve(x.server, r) {
		return refused(apierr.ShardUnavailable())
	}
	if out.over {
		return refused(apierr.New(apierr.CodePayloadTooLarge, "The answer has more than "+strconv.Itoa(most)+" bytes. Ask for less: `limit`, `attributesToRetrieve`, `fields`."))
	}
	return out.status, out.body.Bytes()
}

func refused(e *apierr.Error) (status int, answer []byte) {
	return e.Code.Status, e.AppendJSON(nil)
}

// bounded is a writer that keeps an answer of at most `most` bytes.
type bounded struct {
	head   http.Header
	status int
	body   bytes.Buffer
	most   int
	over   bool
}

// serve lets a server answer. whole is false if the server broke the answer off.
func (w *bounded) serve(s *Server, r *http.Request) (whole bool) {
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
		}
	}()
	s.ServeHTTP(w, r)
	return true
}

// Header implements http.ResponseWriter.
func (w *bounded) Header() http.Header { return w.head }

// WriteHeader implements http.ResponseWriter.
func (w *bounded) WriteHeader(status int) { w.status = status }

// errOver ends an answer that exceeds the bound while it is made.
var errOver = errors.New("the answer is too long")

// Write implements http.ResponseWriter.
func (w *bounded) Write(p []byte) (int, error) {
	if w.over = w.over || w.body.Len()+len(p) > w.most; w.over {
		return 0, errOver
	}
	return w.body.Write(p)
}

var _ http.ResponseWriter = (*bounded)(nil)
