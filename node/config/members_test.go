package config

import (
	"strings"
	"testing"
)

func TestAMemberThatIsListedTwiceIsRefused(t *testing.T) {
	for _, c := range []struct {
		members []string
		says    string
	}{
		{[]string{"a=h1:1", "b=h2:1", "a=h3:1"}, `--init-members lists the name "a" twice: give each first member a --name of its own`},
		{[]string{"a=h1:1", "b=h2:1", "c=h1:1"}, `--init-members gives "a" and "c" the same address h1:1: list the --peer-addr of each`},
		{[]string{"a=h1:1", "b=h2:1", "c=h3:1"}, ""},
	} {
		cfg := DefaultConfig()
		cfg.Name, cfg.InitMembers, cfg.ClusterSecret = "a", c.members, "0123456789abcdef0123456789abcdef"
		err := cfg.Validate()
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v: %v", c.members, err)
		}
	}
}

// A node whose --join or --init-members had no usable address started and waited without
// saying why.
func TestAnAddressThatNobodyCanReachIsRefused(t *testing.T) {
	for addr, fine := range map[string]bool{
		"h1:7946": true, "10.0.0.1": true, "[::1]:7946": true, "::1": true,
		"http://h1:7946": false, "h1:99999": false, "h1:0": false, ":7946": false, "h1:": false, "h1 7946": false,
	} {
		cfg := DefaultConfig()
		cfg.Join, cfg.ClusterSecret = []string{addr}, "0123456789abcdef0123456789abcdef"
		if err := cfg.Validate(); fine != (err == nil) || !fine && !strings.Contains(err.Error(), "name the --gossip-addr of a member") {
			t.Errorf("--join %s: %v", addr, err)
		}
	}
	cfg := DefaultConfig()
	cfg.Name, cfg.InitMembers, cfg.ClusterSecret = "a", []string{"a=h1:1", "b=h2"}, "0123456789abcdef0123456789abcdef"
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), `"b=h2" is not NAME=HOST:PORT`) {
		t.Errorf("--init-members without a port: %v", err)
	}
}
