//go:build !skew

package clock

import "shoal/consensus"

// System is the system's clock.
func System() consensus.Clock { return consensus.Clock{} }
