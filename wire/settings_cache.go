package wire

import (
	"encoding/json"
	"sync/atomic"

	"shoal/api/settings"
)

// settingsCache decodes the settings of an Index on first use. Decoding is
// repeatable, so a race costs work, not correctness.
type settingsCache struct {
	p atomic.Pointer[settings.Settings]
}

func (c *settingsCache) get(raw []byte) *settings.Settings {
	if s := c.p.Load(); s != nil {
		return s
	}
	s := settings.Default()
	if len(raw) > 0 {
		// The bytes were encoded by us from a validated value and are covered by
		// the log's checksums: a failure here is a bug, not an input error.
		fresh := &settings.Settings{}
		if err := json.Unmarshal(raw, fresh); err != nil {
			panic("wire: settings of a committed index do not decode: " + err.Error())
		}
		s = fresh
	}
	c.p.Store(s)
	return s
}
