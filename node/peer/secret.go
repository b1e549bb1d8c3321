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
	"slices"
	"time"

	"golang.org/x/crypto/argon2"
)

// Secret is the cluster's shared secret in its uses: a certificate authority
// for the links and a key for gossip. While a cluster changes its secret there is a
// second one: the node shows itself with the first and believes both. All but its
// Stance is immutable; safe for concurrent use.
type Secret struct {
	own    forms
	also   []forms
	stance stanceHolder
}

// forms are what one text gives: keys that are expensive to try, and those that
// programs before wire.Version StretchedSince make of it. A random text gives the
// same twice.
type forms struct {
	keys
	older keys
	two   bool // they differ
}

// keys are a certificate authority and a key for gossip.
type keys struct {
	ca     *x509.Certificate
	caKey  ed25519.PrivateKey
	gossip []byte
}

const (
	minSecret = 16 // bytes
	// minDistinct different bytes are in every text that was chosen with care.
	minDistinct = 6
)

// Who connects to a node gets a certificate that is signed by the authority, before
// he has proven anything, and may try secrets on it where nobody sees it. A secret
// of 32 random bytes stands that; any other text is made expensive to try.
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

// NewSecret derives the authority and the gossip key from the secret text, the
// same on every node, and those of other texts whose holders are believed, too.
// Texts that are not random take some tenths of a second and 64 MiB each.
func NewSecret(text string, also ...string) (*Secret, error) {
	own, err := formsOf(text)
	if err != nil {
		return nil, err
	}
	s := &Secret{own: own}
	for _, other := range also {
		f, err := formsOf(other)
		if err != nil {
			return nil, err
		}
		s.also = append(s.also, f)
	}
	return s, nil
}

func formsOf(text string) (f forms, err error) {
	if err := CheckSecret(text); err != nil {
		return forms{}, err
	}
	if f.older, err = derive([]byte(text)); err != nil || random(text) {
		f.keys = f.older
		return f, err
	}
	f.two = true
	f.keys, err = derive(argon2.IDKey([]byte(text), []byte("shoal cluster secret v1"), stretchTime, stretchMemory, stretchLanes, 32))
	return f, err
}

// derive makes keys of what is expensive to guess.
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

// GossipKeys returns the 32-byte keys for gossip in the present Stance: the first
// one encrypts, all decrypt.
func (s *Secret) GossipKeys() [][]byte {
	var stretched, older [][]byte
	for _, f := range s.all() {
		stretched = append(stretched, f.gossip)
		if f.two {
			older = append(older, f.older.gossip)
		}
	}
	switch s.Stance() {
	case Closed:
		return stretched
	case Mixed:
		if s.own.two {
			return slices.Concat(older, stretched) // the own one is the first
		}
	}
	return append(stretched, older...)
}

// all lists the own text's forms and those of the others that are believed.
func (s *Secret) all() []forms { return append([]forms{s.own}, s.also...) }
