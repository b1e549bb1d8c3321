//go:build !skew

package machine

import "shoal/consensus"

// systemClock returns the system's clock.
func systemClock() consensus.Clock { return consensus.Clock{} }
