package node

import (
	"fmt"

	"shoal/node/folder"
	"shoal/node/peer"
)

// clusterSecret is the secret of the configuration, otherwise the one in this node's
// folder.
func (n *Node) clusterSecret() (*peer.Secret, error) {
	if also := n.cfg.ClusterSecretAlso; also != "" {
		return peer.NewSecret(n.cfg.ClusterSecret, also)
	}
	if n.cfg.ClusterSecret != "" {
		return peer.NewSecret(n.cfg.ClusterSecret)
	}
	text, err := folder.OwnSecret(n.on.Files, n.folder.Path)
	if err != nil {
		return nil, err
	}
	s, err := peer.NewSecret(text)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w: write the secret of another node of the cluster into it; if this node is the only one, remove the file: the node makes another secret", n.dir(folder.FileSecret), err)
	}
	return s, nil
}
