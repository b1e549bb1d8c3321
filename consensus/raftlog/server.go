package raftlog

import (
	"github.com/hashicorp/raft"

	"shoal/wire"
)

// AddressOf is the address of a server, which is its id in this group. The dialling side finds
// the node's current address, so all addresses of a cluster may change at once.
func AddressOf(node wire.NodeID) raft.ServerAddress { return raft.ServerAddress(node) }

// VotersOf are the voters among the members of a group.
func VotersOf(servers []raft.Server) (voters []wire.NodeID) {
	for _, s := range servers {
		if s.Suffrage == raft.Voter {
			voters = append(voters, wire.NodeID(s.ID))
		}
	}
	return voters
}
