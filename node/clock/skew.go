//go:build skew

package clock

import (
	"fmt"
	"os"
	"time"

	"shoal/consensus"
)

// System is a clock for tests, wrong by the duration in SHOAL_TEST_SKEW.
func System() consensus.Clock {
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
