package shard

import (
	"slices"
	"time"

	"shoal/shard/version"
)

const (
	// retention is how long a replaced version stays available.
	retention = 5 * time.Second
	// maxVersions bounds the replaced versions that are kept without readers.
	maxVersions = 256
)

// history are the open versions of one shard: the newest, and older ones that requests
// may still name. It holds a reference to each. For one goroutine at a time.
type history struct {
	current *version.Version // nil before the shard is loaded
	older   []replaced       // oldest first
}

// replaced is an older version and the time of its replacement.
type replaced struct {
	*version.Version
	at time.Time
}

// advance makes c the newest version.
func (h *history) advance(c *version.Version, now time.Time) {
	if old := h.current; old != nil {
		h.older = append(h.older, replaced{old, now})
	}
	h.current = c
}

// held returns the newest version with a reference, nil if there is none.
func (h *history) held() *version.Version {
	if h.current == nil || !h.current.Acquire() {
		return nil
	}
	return h.current
}

// find returns the wanted version with a reference, or nil if it is not kept.
func (h *history) find(w wanted) *version.Version {
	if h.current == nil {
		return nil
	}
	if w.is(h.current) && h.current.Acquire() {
		return h.current
	}
	for i := len(h.older) - 1; i >= 0; i-- {
		if c := h.older[i].Version; w.is(c) && c.Acquire() {
			return c
		}
	}
	return nil
}

// retire releases replaced versions without readers after the retention, or earlier if
// there are more than maxVersions.
func (h *history) retire(now time.Time) {
	idle := 0
	for _, c := range h.older {
		if c.Idle() {
			idle++
		}
	}
	h.older = slices.DeleteFunc(h.older, func(c replaced) bool {
		if !c.Idle() || idle <= maxVersions && now.Sub(c.at) < retention {
			return false
		}
		idle--
		c.Release()
		return true
	})
	if len(h.older) == 0 {
		h.older = nil // free the array, too
	}
}

// idle reports whether no version has readers.
func (h *history) idle() bool {
	busy := slices.ContainsFunc(h.older, func(c replaced) bool { return !c.Idle() })
	return !busy && (h.current == nil || h.current.Idle())
}

// release ends the line of versions and lets go of all of them.
func (h *history) release() {
	for _, c := range h.older {
		c.Release()
	}
	if h.current != nil {
		h.current.Ends()
		h.current.Release()
	}
	h.older, h.current = nil, nil
}
