package routing

import (
	"net/http"
	"strings"

	"shoal/httpfront/connection"
	"shoal/httpfront/metrics"
)

// CORS allows every origin, method and header (spec search-api 1.2).
const (
	varyCORS       = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
	preflightCache = "86400"
)

// preflight answers a CORS preflight: an OPTIONS request that names a method, with any
// path. It returns whether the request was one.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions {
		return false
	}
	wanted, given := r.Header["Access-Control-Request-Method"]
	if !given || len(wanted) == 0 {
		return false
	}
	h := w.Header()
	if !IsToken(wanted[0]) {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		connection.Of(r.Context()).Send(w, http.StatusBadRequest, []byte("Requested method is not allowed"))
		return true
	}
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", metrics.Methods)
	h.Set("Access-Control-Max-Age", preflightCache)
	if headers := r.Header["Access-Control-Request-Headers"]; len(headers) > 0 {
		h.Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
	}
	h.Set("Vary", varyCORS)
	connection.Of(r.Context()).Send(w, http.StatusOK, nil)
	return true
}

// setCORS adds the headers of every other answer.
func setCORS(h http.Header, r *http.Request) {
	h.Set("Vary", varyCORS)
	if _, ok := r.Header["Origin"]; ok {
		h.Set("Access-Control-Allow-Origin", "*")
	}
}

// IsToken tells whether s is an HTTP token, the form of a method.
func IsToken(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("()<>@,;:\\\"/[]?={}", c) >= 0 {
			return false
		}
	}
	return true
}
