package gossip

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Everything that memberlist sends begins with the label of the cluster's gossip. A packet
// continues with a ciphertext. A stream continues with the kind of its message, the length
// of the ciphertext (four bytes, big-endian), and the ciphertext: a version, a nonce and
// the output of AES-GCM, which also covers the label and, in a stream, kind and length.
const (
	label         = "shoal"
	kindLabel     = 244
	kindEncrypted = 10
	newestVersion = 1
	nonceSize     = 12
	overhead      = 1 + nonceSize + 16
	streamHeader  = 5

	// maxPacket bounds a packet. memberlist makes packets of 1,400 bytes plus encryption.
	maxPacket = 8 << 10
	// maxStream bounds the ciphertext of a stream, which describes all nodes: several
	// hundred fit. It is read before the sender has proven anything.
	maxStream = 512 << 10
)

var (
	errNotGossip = errors.New("this is no gossip of a Shoal cluster")
	errUnproven  = errors.New("it was made with another cluster secret")
)

// labelled is the beginning of everything that memberlist sends.
var labelled = append([]byte{kindLabel, byte(len(label))}, label...)

// provenPacket tells whether a packet was made with one of the keys. It does not modify the
// packet.
func provenPacket(keys [][]byte, packet []byte) error {
	rest, ok := bytes.CutPrefix(packet, labelled)
	if !ok {
		return errNotGossip
	}
	return proven(keys, rest, []byte(label))
}

// provenStream reads the first message of a stream and tells whether it was made with one
// of the keys. It returns the bytes read.
func provenStream(keys [][]byte, r io.Reader) ([]byte, error) {
	head := make([]byte, len(labelled)+streamHeader)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	header, ok := bytes.CutPrefix(head, labelled)
	if !ok || header[0] != kindEncrypted {
		return nil, errNotGossip
	}
	size := binary.BigEndian.Uint32(header[1:])
	if size > maxStream {
		return nil, fmt.Errorf("a message of %d bytes, %d are allowed", size, maxStream)
	}
	read := bytes.NewBuffer(head)
	if _, err := io.CopyN(read, r, int64(size)); err != nil { // it grows with what arrives
		return nil, err
	}
	all := read.Bytes()
	covered := append(append([]byte(nil), header...), label...)
	return all, proven(keys, all[len(head):], covered)
}

// proven tells whether one of the keys opens a ciphertext that also authenticates other
// bytes.
func proven(keys [][]byte, ciphertext, covers []byte) error {
	if len(ciphertext) < overhead || ciphertext[0] > newestVersion {
		return errNotGossip
	}
	nonce, sealed := ciphertext[1:1+nonceSize], ciphertext[1+nonceSize:]
	for _, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			return fmt.Errorf("a key of gossip: %w", err)
		}
		open, err := cipher.NewGCM(block)
		if err != nil {
			return fmt.Errorf("a key of gossip: %w", err)
		}
		if _, err := open.Open(nil, nonce, sealed, covers); err == nil {
			return nil
		}
	}
	return errUnproven
}

// unreadable is a labelled message that no key opens. memberlist answers every such message
// with an error. That tells a node with another form of the secret about the mismatch
// (Gossip.Run).
func unreadable() []byte {
	m := append([]byte(nil), labelled...)
	m = append(m, kindEncrypted)
	m = binary.BigEndian.AppendUint32(m, overhead)
	m = append(m, newestVersion)
	return append(m, make([]byte, overhead-1)...)
}
