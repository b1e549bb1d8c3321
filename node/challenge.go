package node

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"shoal/wire"
)

// Nodes find out whether they hold the same master key without revealing it. The greeting
// node sends a challenge. The answer proves the key for that challenge, that asker and that
// answerer, so nobody can replay an answer from elsewhere or return a node's own answer to
// it.

// newChallenge makes a challenge that was never used before.
func newChallenge() []byte {
	c := make([]byte, 32)
	_, _ = rand.Read(c) // it never fails
	return c
}

// proof answers a challenge from one node to another; nil without a challenge.
func (n *Node) proof(asked, answers wire.NodeID, challenge []byte) []byte {
	if len(challenge) == 0 {
		return nil
	}
	m := hmac.New(sha256.New, []byte(n.cfg.MasterKey))
	for _, part := range [][]byte{[]byte("shoal master key proof v1"), []byte(asked), []byte(answers), challenge} {
		var size [4]byte
		binary.BigEndian.PutUint32(size[:], uint32(len(part)))
		m.Write(size[:])
		m.Write(part)
	}
	return m.Sum(nil)
}

// sameKey tells whether the answer to a greeting proves that the other node has this node's
// master key. A node whose program gives no proof is trusted by its digest during a rolling
// upgrade: if it is a member already, or if this node is none and could not admit anyone.
func (n *Node) sameKey(other wire.NodeID, challenge []byte, got *helloReply) bool {
	if len(got.Proof) > 0 {
		return hmac.Equal(got.Proof, n.proof(n.self.ID, other, challenge))
	}
	joins := n.cluster() == "" && len(n.cfg.InitMembers) == 0
	return (n.known(other) || joins) && hmac.Equal([]byte(got.Hello.KeyCheck), []byte(n.keyCheck(got.Hello.Cluster)))
}

// known tells whether the catalogue lists a node.
func (n *Node) known(id wire.NodeID) bool {
	c := n.catalog()
	if c == nil {
		return false
	}
	_, known := c.Node(id)
	return known
}

// keyCheck is the digest that programs without challenges compare.
func (n *Node) keyCheck(cluster string) string {
	m := hmac.New(sha256.New, []byte(n.cfg.MasterKey))
	m.Write([]byte("shoal master key check\x00" + cluster))
	return hex.EncodeToString(m.Sum(nil)[:16])
}
