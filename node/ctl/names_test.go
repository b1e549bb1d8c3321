package ctl

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

func TestNamesAreThoseOfTheCluster(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("HOME", home)
	var asked []string
	nodes := answering(t, http.StatusOK, `{"nodes":[{"name":"b"},{"name":"a"}]}`, &asked)
	indexes := answering(t, http.StatusOK, `{"results":[{"uid":"films"},{"uid":"books"}]}`, &asked)
	file, err := contextsFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[clusters.work]\nurl = \"http://h\"\n[clusters.home]\nurl = \"http://h\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, url, want string }{{"nodes", nodes, "a\nb\n"}, {"indexes", indexes, "books\nfilms\n"}, {"contexts", "", "home\nwork\n"}} {
		var out bytes.Buffer
		if err := (&Names{Remote: Remote{URL: c.url}, Kind: c.kind}).Run(t.Context(), &out); err != nil || out.String() != c.want {
			t.Errorf("%s: %q %v, want %q", c.kind, out.String(), err, c.want)
		}
	}
	refusing := answering(t, http.StatusForbidden, `{"message":"no key","code":"invalid_api_key"}`, &asked)
	if err := (&Names{Remote: Remote{URL: refusing}, Kind: "nodes"}).Run(t.Context(), &bytes.Buffer{}); err == nil {
		t.Error("names were told although the cluster refused to")
	}
}
