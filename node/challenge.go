package node

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"shoal/wire"
)

// masterKey proves to other nodes that this node holds the master key, without revealing
// it. The greeting node sends a challenge. The answer proves the key for that challenge,
// that asker and that answerer, so nobody can replay an answer from elsewhere or return a
// node's own answer to it.
type masterKey string

// newChallenge makes a challenge that was never used before.
func newChallenge() []byte {
	c := make([]byte, 32)
	_, _ = rand.Read(c) // it never fails
	return c
}

// proof answers a challenge from one node to another; nil without a challenge.
func (k masterKey) proof(asked, answers wire.NodeID, challenge []byte) []byte {
	if len(challenge) == 0 {
		return nil
	}
	m := hmac.New(sha256.New, []byte(k))
	for _, part := range [][]byte{[]byte("shoal master key proof v1"), []byte(asked), []byte(answers), challenge} {
		var size [4]byte
		binary.BigEndian.PutUint32(size[:], uint32(len(part)))
		m.Write(size[:])
		m.Write(part)
	}
	return m.Sum(nil)
}

// digest is what programs without challenges compare.
func (k masterKey) digest(cluster string) string {
	m := hmac.New(sha256.New, []byte(k))
	m.Write([]byte("shoal master key check\x00" + cluster))
	return hex.EncodeToString(m.Sum(nil)[:16])
}
