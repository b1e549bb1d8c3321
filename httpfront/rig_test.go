package httpfront

import (
	"net/http"
	"time"

	"shoal/api"
	"shoal/api/settings"
)

// rig is a router with two rows: one that is open and one that takes the body of a
// search.
func rig(cfg routerConfig, master string) *router {
	g := gate{
		Lease:    steady{},
		Features: func() settings.Features { return settings.Features{} },
		Auth:     newAuthenticator(master, steady{}, time.Now),
	}
	return newRouter(cfg, g, newRequestMetrics(false), []route{
		{Method: "GET", Pattern: "/health", Serve: func(x *exchange) error {
			return x.respond(http.StatusOK, append(x.buffer(), `{"status":"available"}`...))
		}},
		{Method: "POST", Pattern: "/indexes/{index_uid}/search", Actions: []string{"search"}, OnIndex: true, Serve: func(x *exchange) error {
			body, err := x.admitBody()
			if err != nil {
				return err
			}
			return x.respond(http.StatusOK, body.AppendJSON(x.buffer()))
		}},
	})
}

// steady is a node with a lease and without keys.
type steady struct{}

func (steady) Lease() (fresh bool, staleSeconds int) { return true, 0 }
func (steady) Importing() bool                       { return false }
func (steady) Keys() []*api.Key                      { return nil }
