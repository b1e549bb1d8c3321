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
