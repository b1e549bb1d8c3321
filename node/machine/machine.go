package machine

import (
	"io"
	"os"

	"shoal/consensus"
	"shoal/wire"
)

// Machine is everything around a node that can fail, lie or be replaced.
type Machine struct {
	Network Network
	// Clock is the node's clock.
	Clock consensus.Clock
	Files *Files
	// Log receives the log lines.
	Log io.Writer
	// Shared: other nodes run in this process. Settings of the whole process, such as its
	// memory limit, stay unchanged.
	Shared bool
	// Died, if not nil, is called with the last error where the process would end without
	// closing anything. The machine then takes away the node's network and disk, and the
	// rest of the node is closed without effects.
	Died func(why error)
	// Observe, if not nil, makes who is told what the node with an id does in its Raft group.
	Observe func(id wire.NodeID) consensus.Observer
}

// Real is the machine that this process runs on.
func Real() *Machine {
	return &Machine{Network: System{}, Clock: systemClock(), Files: Disk(), Log: os.Stderr}
}
