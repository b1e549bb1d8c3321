//go:build !skew

package node

import "shoal/consensus"

// clock is what this node takes for the time: what the system says.
func clock() consensus.Clock { return consensus.Clock{} }
