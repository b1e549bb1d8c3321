package peer

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"

	"golang.org/x/crypto/argon2"
)

// Secret is the cluster's shared secret in its uses: a certificate authority for the links
// and a key for gossip. While a cluster changes its secret there is a second one: the node
// proves itself with the first and accepts both. Immutable; safe for concurrent use.
type Secret struct {
	own  keys
	also []keys
}

// keys are derived from one text: a certificate authority and a key for gossip.
type keys struct {
	ca     *x509.Certificate
	caKey  ed25519.PrivateKey
	gossip []byte
}

const (
	minSecret = 16 // bytes
	// minDistinct is the least number of different bytes in a carefully chosen text.
	minDistinct = 6
)

// A stranger who connects gets a certificate that the authority has signed, and can try
// secrets against it offline. A secret of 32 random bytes withstands that. Any other text
// is made expensive to try.
const (
	stretchTime   = 3
	stretchMemory = 64 << 10 // KiB
	stretchLanes  = 4
)

// RandomSecret makes a secret of 32 random bytes, as 64 hexadecimal digits.
func RandomSecret() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // it never fails
	return hex.EncodeToString(raw[:])
}

// CheckSecret refuses texts that are too easy to guess. The error does not repeat
// the text.
func CheckSecret(text string) error {
	if len(text) < minSecret {
		return fmt.Errorf("the secret has %d bytes, at least %d are needed", len(text), minSecret)
	}
	distinct := map[byte]bool{}
	for i := range len(text) {
		distinct[text[i]] = true
	}
	if len(distinct) < minDistinct {
		return errors.New("the secret repeats a few characters only, anybody could guess it")
	}
	return nil
}

// random tells whether a text is 32 bytes in hexadecimal digits, as RandomSecret
// and `openssl rand -hex 32` write them.
func random(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == 32
}

// NewSecret derives the authority and the gossip key from the secret text, the same on
// every node, and those of other accepted texts. A text that is not random takes some
// tenths of a second and 64 MiB.
func NewSecret(text string, also ...string) (*Secret, error) {
	own, err := keysOf(text)
	if err != nil {
		return nil, err
	}
	s := &Secret{own: own}
	for _, other := range also {
		k, err := keysOf(other)
		if err != nil {
			return nil, err
		}
		s.also = append(s.also, k)
	}
	return s, nil
}

func keysOf(text string) (keys, error) {
	if err := CheckSecret(text); err != nil {
		return keys{}, err
	}
	if random(text) {
		return derive([]byte(text))
	}
	return derive(argon2.IDKey([]byte(text), []byte("shoal cluster secret v1"), stretchTime, stretchMemory, stretchLanes, 32))
}

// derive makes keys from bytes that are expensive to guess.
func derive(base []byte) (keys, error) {
	seed, err := hkdf.Key(sha256.New, base, nil, "shoal certificate authority v1", ed25519.SeedSize)
	if err != nil {
		return keys{}, fmt.Errorf("derive the authority: %w", err)
	}
	gossip, err := hkdf.Key(sha256.New, base, nil, "shoal gossip v1", 32)
	if err != nil {
		return keys{}, fmt.Errorf("derive the gossip key: %w", err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	// Fixed dates and serial: ed25519 signs deterministically, so every node
	// makes the same certificate.
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "shoal cluster"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		return keys{}, fmt.Errorf("make the authority: %w", err)
	}
	ca, err := x509.ParseCertificate(der)
	if err != nil {
		return keys{}, fmt.Errorf("read the authority: %w", err)
	}
	return keys{ca: ca, caKey: key, gossip: gossip}, nil
}

// GossipKeys returns the 32-byte keys for gossip: the first one encrypts, all decrypt.
func (s *Secret) GossipKeys() [][]byte {
	var out [][]byte
	for _, k := range s.all() {
		out = append(out, k.gossip)
	}
	return out
}

// all lists the node's own keys and the other accepted ones.
func (s *Secret) all() []keys { return append([]keys{s.own}, s.also...) }
