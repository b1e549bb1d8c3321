package node

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"shoal/wire"
)

// Nodes find out whether they hold the same master key without telling it: who
// greets sends a challenge, and the answer proves the key for that challenge, for
// the one that asked and for the one that answers. Neither can anybody repeat an
// answer that he got elsewhere, nor give a node its own answer back.

// newChallenge makes what nobody has asked before.
func newChallenge() []byte {
	c := make([]byte, 32)
	_, _ = rand.Read(c) // it never fails
	return c
}

// proof answers a challenge that one node sent to another; nil without one.
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

// sameKey tells whether the answer to a greeting shows that the other node holds
// this node's master key. A node of a program that gives no proof is believed its
// digest while programs are being replaced: when it is a member already, or when
// this node is none and could let nobody in.
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
