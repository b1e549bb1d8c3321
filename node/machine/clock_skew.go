//go:build skew

package machine

import (
	"fmt"
	"os"
	"time"

	"shoal/consensus"
)

// systemClock returns a clock for tests of clusters whose clocks differ. It is wrong by the
// duration in SHOAL_TEST_SKEW.
func systemClock() consensus.Clock {
	text := os.Getenv("SHOAL_TEST_SKEW")
	if text == "" {
		return consensus.Clock{}
	}
	off, err := time.ParseDuration(text)
	if err != nil {
		panic(fmt.Sprintf("SHOAL_TEST_SKEW: %v", err))
	}
	return consensus.Clock{Now: func() time.Time { return time.Now().Add(off) }}
}
