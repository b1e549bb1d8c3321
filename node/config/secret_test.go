package config

import (
	"strings"
	"testing"

	"shoal/node/peer"
)

func TestANodeThatOthersCanReachNeedsASecret(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		ok     bool
	}{
		"alone":                     {func(*Config) {}, true},
		"peers on loopback":         {func(c *Config) { c.PeerAddr = "127.0.0.1:7701" }, true},
		"peers on localhost":        {func(c *Config) { c.PeerAddr = "localhost:7701" }, true},
		"clients of other machines": {func(c *Config) { c.HTTPAddr = "0.0.0.0:7700" }, true},
		"peers of other machines":   {func(c *Config) { c.PeerAddr = "10.0.0.1:7701" }, false},
		"peers everywhere":          {func(c *Config) { c.PeerAddr = ":7701" }, false},
		"gossip everywhere":         {func(c *Config) { c.GossipAddr = "0.0.0.0:7946" }, false},
		"gossip by name":            {func(c *Config) { c.GossipAddr = "node-1:7946" }, false},
		"told to others":            {func(c *Config) { c.AdvertisePeer = "10.0.0.1:7701" }, false},
		"joining on loopback":       {func(c *Config) { c.Join = []string{"127.0.0.1:7946"} }, false},
		"first of two":              {func(c *Config) { c.Name, c.InitMembers = "a", []string{"a=127.0.0.1:1", "b=127.0.0.1:2"} }, false},
	} {
		cfg := DefaultConfig()
		c.change(&cfg)
		err := cfg.Validate()
		if c.ok != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "shoal secret") {
			t.Errorf("%s: the message does not show how to make a secret: %v", name, err)
		}
		cfg.ClusterSecret = peer.RandomSecret()
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s, with a secret: %v", name, err)
		}
	}
	for _, weak := range []string{"secret", "0000000000000000000000000000000000000000000000000000000000000000", "abababababababababab"} {
		cfg := DefaultConfig()
		cfg.ClusterSecret = weak
		if err := cfg.Validate(); err == nil || strings.Contains(err.Error(), weak+"\"") || !strings.Contains(err.Error(), "shoal secret") {
			t.Errorf("the secret %q: %v", weak, err)
		}
	}
}
