package machine

import (
	"io"
	"os"

	"shoal/consensus"
	"shoal/node/clock"
)

// Machine is everything around a node that can fail, lie or be replaced.
type Machine struct {
	Network Network
	// Clock is what the node takes for the time.
	Clock consensus.Clock
	Files *Files
	// Log takes the lines that an operator reads.
	Log io.Writer
	// Shared: other nodes live in this process. What a process has once, its memory
	// limit and the like, stays as it is.
	Shared bool
	// Died, if not nil, is called where the process would end without closing anything, with
	// what it says last. The
	// machine takes the network and the disk of the node away; what is left of the node is
	// closed after that, where nobody sees it.
	Died func(why error)
}

// Real is the machine that this process runs on.
func Real() *Machine {
	return &Machine{Network: System{}, Clock: clock.System(), Files: Disk(), Log: os.Stderr}
}
