package admin

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shoal/api"
	"shoal/httpfront/auth"
	"shoal/httpfront/routing"
)

// Handlers answer requests about the instance as a whole: its tasks, its keys, its
// configuration and its state.
type Handlers struct {
	Tasks     Tasks
	Streams   Streams
	Keys      Keys
	Features  Features
	Network   Network
	Webhooks  Webhooks
	Rules     Rules
	Stats     Stats
	Lease     routing.Lease
	Logs      Logs
	Cluster   Cluster
	Probes    Probes
	Analytics Analytics
	SlowLog   SlowLog
	Aliases   Aliases

	// Auth finds keys by their values.
	Auth *auth.Authenticator
	// Now is the clock for the expiry of keys.
	Now func() time.Time
	// MaxStaleness is how long a node without contact to the leader still answers reads.
	MaxStaleness time.Duration
	// Version is the version of the API that answers follow.
	Version api.Version
	// CommitSHA and CommitDate are shown by /version.
	CommitSHA, CommitDate string
	// Requests are the metrics of requests, Families further metrics (nil for none).
	Requests, Families prometheus.Gatherer
}
