package config

import (
	"errors"
	"fmt"

	"shoal/node/address"
	"shoal/node/folder"
	"shoal/node/peer"
)

// MakeSecret is the advice in every refusal because of a missing secret.
const MakeSecret = "make one with `shoal secret > FILE` and give every node --cluster-secret-file FILE"

// checkSecret checks that the nodes' secret is strong enough, and given where required:
// nodes on other machines, and nodes that are to form one cluster, cannot know a secret
// that this node makes itself.
func (c *Config) checkSecret() error {
	if c.ClusterSecretAlso != "" {
		if err := peer.CheckSecret(c.ClusterSecretAlso); err != nil {
			return fmt.Errorf("--cluster-secret-also: %w: %s", err, MakeSecret)
		}
		if c.ClusterSecret == "" {
			return errors.New("--cluster-secret-also is for a node that has a --cluster-secret: give both")
		}
	}
	if c.ClusterSecret != "" {
		if err := peer.CheckSecret(c.ClusterSecret); err != nil {
			return fmt.Errorf("--cluster-secret: %w: %s", err, MakeSecret)
		}
		return nil
	}
	for _, a := range [][2]string{
		{"--peer-addr", c.PeerAddr}, {"--gossip-addr", c.GossipAddr}, {"--advertise-peer", c.AdvertisePeer}, {"--advertise-gossip", c.AdvertiseGossip},
	} {
		if a[1] != "" && !address.LoopbackOnly(a[1]) {
			return fmt.Errorf("%s %s can be reached from other machines, and no secret protects it: %s", a[0], a[1], MakeSecret)
		}
	}
	if len(c.Join) > 0 || len(c.InitMembers) > 1 {
		return fmt.Errorf("--join and --init-members need the secret of the cluster, the same on all its nodes: %s (a node that was started without one keeps its own in the file %s of its data folder)",
			MakeSecret, folder.FileSecret)
	}
	return nil
}
