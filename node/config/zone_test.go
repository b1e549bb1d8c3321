package config

import (
	"strings"
	"testing"

	"shoal/wire"
)

// Gossip can carry only few bytes, and a zone becomes a label of metrics.
func TestNamesOfZonesAreBounded(t *testing.T) {
	for zone, good := range map[string]bool{
		"": true, "a": true, "eu-central-1a": true, "dc1/room_2.3": true, strings.Repeat("a", wire.MaxZone): true,
		strings.Repeat("a", wire.MaxZone+1): false, "a b": false, "zöne": false, "a\n": false, "a=b": false, `a"`: false,
	} {
		c := DefaultConfig()
		c.Zone = zone
		err := c.Validate()
		if good != (err == nil) {
			t.Errorf("zone %q: %v", zone, err)
		}
		if err != nil && !strings.Contains(err.Error(), "--zone") {
			t.Errorf("zone %q: %v does not name the option", zone, err)
		}
	}
}
