package routing

import (
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Config holds the options of a router. A zero number means the default that stands in
// brackets.
type Config struct {
	// PayloadLimit bounds decoded request bodies in bytes (100,000,000).
	PayloadLimit int64
	// Cores is how many cores searches may use (GOMAXPROCS).
	Cores int
	// SearchesRunning is how many searches run at once (4 per core) and
	// SearchQueueSize how many more may wait (nil = 1000, 0 = none).
	SearchesRunning int
	SearchQueueSize *int
	// DropSearchAfter is how long a search may wait (60 s).
	DropSearchAfter time.Duration
	// Connections is how many clients may be connected at once (10,000).
	Connections int
	// MaxStaleness is how long a node without contact to the leader still answers reads (0
	// = refuse at once).
	MaxStaleness time.Duration
	// LeaseWait is how long a request that needs the leader waits for contact before it is
	// refused (0 = not at all).
	LeaseWait time.Duration
	// Tracer makes spans of requests. May be nil.
	Tracer trace.Tracer
	// Audit receives each request that changed something, before its answer is sent. It is
	// called concurrently. May be nil.
	Audit func(Change)
	// Log receives faults and, at debug level, requests. It never receives a key.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.PayloadLimit == 0 {
		c.PayloadLimit = 100_000_000
	}
	if c.Connections <= 0 {
		c.Connections = 10_000
	}
	if c.SearchQueueSize == nil {
		most := 1000
		c.SearchQueueSize = &most
	}
	if c.DropSearchAfter == 0 {
		c.DropSearchAfter = 60 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
