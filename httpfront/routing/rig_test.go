package routing

import (
	"net/http"
	"time"

	"shoal/api"
	"shoal/api/settings"
	"shoal/httpfront/auth"
	"shoal/httpfront/metrics"
)

// rig is a router with two rows: one that is open and one that takes the body of a
// search.
func rig(cfg Config, master string) *Server {
	g := Gate{
		Lease:    steady{},
		Features: func() settings.Features { return settings.Features{} },
		SlowLog:  func() api.SlowLog { return api.SlowLog{} },
		Auth:     auth.New(master, steady{}, time.Now),
	}
	return New(cfg, g, metrics.New(false), []Route{
		{Method: "GET", Pattern: "/health", Serve: func(x *Exchange) error {
			return x.Respond(http.StatusOK, append(x.Buffer(), `{"status":"available"}`...))
		}},
		{Method: "POST", Pattern: "/indexes/{index_uid}/search", Actions: []string{"search"}, OnIndex: true, Serve: func(x *Exchange) error {
			body, err := x.AdmitBody()
			if err != nil {
				return err
			}
			return x.Respond(http.StatusOK, body.AppendJSON(x.Buffer()))
		}},
	})
}

// steady is a node with a lease and without keys.
type steady struct{}

func (steady) Lease() (fresh bool, staleSeconds int) { return true, 0 }
func (steady) Outside() string                       { return "" }
func (steady) Importing() bool                       { return false }
func (steady) Follows() bool                         { return false }
func (steady) Keys() []*api.Key                      { return nil }
