package config

import (
	"runtime/debug"
	"time"
)

// Commit returns the revision and date that the program was built from, in the form of the
// reference, or "" if the build did not record them.
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

// Release is the version of this product. A release build sets it when linking.
var Release = "0.1.0"

// EngineVersion is the supported version of the API, which client libraries read from
// /version.
const EngineVersion = "1.50.0"
