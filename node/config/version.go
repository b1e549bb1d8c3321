package config

import (
	"runtime/debug"
	"time"
)

// Commit returns the revision that the program was built of and its date, in the
// form of the reference; "" when the build did not note them.
func Commit() (sha, date string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", ""
	}
	return commitOf(info.Settings)
}

func commitOf(settings []debug.BuildSetting) (sha, date string) {
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			sha = s.Value
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				date = t.UTC().Format("2006-01-02T15:04:05.000000000Z")
			}
		}
	}
	return sha, date
}

// Release is the version of this product; a release sets it when it is linked.
var Release = "0.1.0"

// EngineVersion is the version of the API it speaks, which client libraries read
// from /version.
const EngineVersion = "1.50.0"
