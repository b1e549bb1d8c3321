package sources

import (
	"shoal/coordinator"
	"shoal/wire"
)

// Opener opens the sources of all searches that this node answers. Safe for concurrent use.
type Opener struct {
	shards   coordinator.Shards
	self     wire.NodeID
	searched func(elsewhere bool, rounds int)
	hedged   func(won bool)
	asked    asked
	pace     pace
}

// Config is what an Opener needs.
type Config struct {
	Shards coordinator.Shards
	// Self is this node. Its replicas are asked first.
	Self wire.NodeID
	// Searched, when set, is called when a Set is closed, with the number of rounds of the
	// source that was asked most; sources on other nodes take precedence. It must not block.
	Searched func(elsewhere bool, rounds int)
	// Hedged, when set, is called for each hedged source and tells whether the second node was
	// faster. It must not block.
	Hedged func(won bool)
}

// New returns an Opener.
func New(c Config) *Opener {
	return &Opener{shards: c.Shards, self: c.Self, searched: c.Searched, hedged: c.Hedged}
}

// Choose begins an attempt of a request, which reads one state of the catalogue. It avoids
// nodes that failed in earlier attempts; failed must not change during the attempt.
func (o *Opener) Choose(catalog coordinator.Catalog, failed map[wire.NodeID]bool) *Choice {
	return &Choice{opener: o, catalog: catalog, failed: failed}
}
