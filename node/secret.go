package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"shoal/node/peer"
)

// makeSecret is what every refusal for want of a secret says to do.
const makeSecret = "make one with `shoal secret > FILE` and give every node --cluster-secret-file FILE"

// secretCmd prints a new secret.
type secretCmd struct{}

func (secretCmd) run(out io.Writer) error {
	_, err := fmt.Fprintln(out, peer.RandomSecret())
	return err
}

// checkSecret tells whether the nodes' secret is good enough, and given where it
// must be: nodes of other machines, and nodes that are to form one cluster, cannot
// know a secret that this one makes itself.
func (c *Config) checkSecret() error {
	if c.ClusterSecretAlso != "" {
		if err := peer.CheckSecret(c.ClusterSecretAlso); err != nil {
			return fmt.Errorf("--cluster-secret-also: %w: %s", err, makeSecret)
		}
		if c.ClusterSecret == "" {
			return errors.New("--cluster-secret-also is for a node that has a --cluster-secret: give both")
		}
	}
	if c.ClusterSecret != "" {
		if err := peer.CheckSecret(c.ClusterSecret); err != nil {
			return fmt.Errorf("--cluster-secret: %w: %s", err, makeSecret)
		}
		return nil
	}
	for _, a := range [][2]string{
		{"--peer-addr", c.PeerAddr}, {"--gossip-addr", c.GossipAddr}, {"--advertise-peer", c.AdvertisePeer}, {"--advertise-gossip", c.AdvertiseGossip},
	} {
		if a[1] != "" && !loopbackOnly(a[1]) {
			return fmt.Errorf("%s %s can be reached from other machines, and no secret protects it: %s", a[0], a[1], makeSecret)
		}
	}
	if len(c.Join) > 0 || len(c.InitMembers) > 1 {
		return fmt.Errorf("--join and --init-members need the secret of the cluster, the same on all its nodes: %s (a node that was started without one keeps its own in the file %s of its data folder)",
			makeSecret, fileSecret)
	}
	return nil
}

// clusterSecret is the secret of the configuration, else the one that this node's
// folder keeps.
func (n *Node) clusterSecret() (*peer.Secret, error) {
	if also := n.cfg.ClusterSecretAlso; also != "" {
		return peer.NewSecret(n.cfg.ClusterSecret, also)
	}
	if n.cfg.ClusterSecret != "" {
		return peer.NewSecret(n.cfg.ClusterSecret)
	}
	text, err := ownSecret(n.folder.path)
	if err != nil {
		return nil, err
	}
	s, err := peer.NewSecret(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: remove the file, the node makes another one", n.dir(fileSecret), err)
	}
	return s, nil
}

// ownSecret reads the secret that a folder keeps, made at the first call.
func ownSecret(dir string) (string, error) {
	path := filepath.Join(dir, fileSecret)
	text, _, err := lines(path)
	switch {
	case err == nil:
		return text, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read the cluster secret: %w", err)
	}
	text = peer.RandomSecret()
	if err := renameio.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the cluster secret: %w", err)
	}
	return text, nil
}

// textOrFile is the value of a secret option, or what the file of its companion
// OPTION-file holds in its first two lines.
func textOrFile(option, text, file string) (first, second string, err error) {
	switch {
	case file == "":
		return text, "", nil
	case text != "":
		return "", "", fmt.Errorf("%s and %s-file exclude each other", option, option)
	}
	first, second, err = lines(file)
	if err != nil {
		return "", "", fmt.Errorf("%s-file: %w", option, err)
	}
	if first == "" {
		return "", "", fmt.Errorf("%s-file: the first line of %s is empty", option, file)
	}
	return first, second, nil
}

// lines reads the first two lines of a file, without what surrounds them.
func lines(path string) (first, second string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	second, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(first), strings.TrimSpace(second), nil
}
