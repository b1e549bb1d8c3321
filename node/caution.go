package node

import (
	"context"
	"strings"

	"shoal/node/address"
	"shoal/node/peer"
)

// caution reports at the start which options have no effect. It warns of data that others
// can read or change, probably by mistake.
func (n *Node) caution(context.Context) error {
	if len(n.cfg.NoEffect) > 0 {
		n.log.Info("options that are accepted and change nothing", "given", strings.Join(n.cfg.NoEffect, ", "))
	}
	for _, file := range n.cfg.ReadableSecrets {
		n.log.Warn("every user of this machine can read a secret: chmod 600 the file", "file", file)
	}
	if n.cfg.MasterKey == "" && n.cfg.Front && !address.LoopbackOnly(n.cfg.HTTPAddr) {
		n.log.Warn("there is no master key, and other machines can reach --http-addr: whoever does can read and change everything; start again with --master-key-file, whose first line may be the key that was made for you here",
			"http", n.cfg.HTTPAddr, "made", peer.RandomSecret())
	}
	return nil
}
