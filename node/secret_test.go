package node

import (
	"bytes"
	"os"
	"path/filepath"
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

// The option of earlier programs must not be ignored, nor be an unknown one.
func TestAClusterWithoutASecretIsToldWhatToDo(t *testing.T) {
	_, err := (&options{Insecure: true, MaxStaleness: "1m"}).config()
	if err == nil || !strings.Contains(err.Error(), "stop all nodes") || !strings.Contains(err.Error(), "shoal secret") {
		t.Errorf("--insecure-cluster: %v", err)
	}
}

func TestAFolderKeepsItsSecret(t *testing.T) {
	dir := t.TempDir()
	first, err := ownSecret(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := peer.CheckSecret(first); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, fileSecret)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if again, err := ownSecret(dir); err != nil || again != first {
		t.Errorf("another start has another secret: %v", err)
	}
	if text, _, err := textOrFile("--cluster-secret", "", path); err != nil || text != first {
		t.Errorf("the file given to another node: %v", err)
	}
	if _, _, err := textOrFile("--cluster-secret", "x", path); err == nil {
		t.Error("a secret and a file with one were both taken")
	}
	var out bytes.Buffer
	if err := (secretCmd{}).run(&out); err != nil || peer.CheckSecret(strings.TrimSpace(out.String())) != nil || out.String() == first+"\n" {
		t.Errorf("shoal secret prints %q: %v", out.String(), err)
	}
}
