package config

import (
	"runtime/debug"
	"testing"
)

// /version once said "unknown" although the build records its revision.
func TestCommitComesFromTheBuild(t *testing.T) {
	sha, date := commitOf([]debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0a67cda"}, {Key: "vcs.time", Value: "2026-11-22T02:58:07+02:00"}})
	if sha != "0a67cda" || date != "2026-11-22T00:58:07.000000000Z" {
		t.Errorf("%s of %s", sha, date)
	}
	if sha, date = commitOf(nil); sha != "" || date != "" {
		t.Errorf("%s of %s without a note", sha, date)
	}
}
