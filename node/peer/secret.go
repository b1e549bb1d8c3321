package peer

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// ALPN protocols of the one port between nodes.
const (
	ProtoRaft = "shoal-raft/1"
	protoRPC  = "h2"
)

// Secret is the cluster's shared secret in its uses: a certificate authority
// for the links and a key for gossip. The zero value means "no secret": plain
// text. Immutable.
type Secret struct {
	ca     *x509.Certificate
	caKey  ed25519.PrivateKey
	gossip []byte
}

// NewSecret derives the authority and the gossip key from the secret text, the
// same on every node. An empty text gives the zero Secret.
func NewSecret(text string) (*Secret, error) {
	if text == "" {
		return &Secret{}, nil
	}
	if len(text) < 16 {
		return nil, errors.New("the cluster secret must be at least 16 bytes")
	}
	seed, err := hkdf.Key(sha256.New, []byte(text), nil, "shoal certificate authority v1", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("derive the authority: %w", err)
	}
	gossip, err := hkdf.Key(sha256.New, []byte(text), nil, "shoal gossip v1", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the gossip key: %w", err)
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
		return nil, fmt.Errorf("make the authority: %w", err)
	}
	ca, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read the authority: %w", err)
	}
	return &Secret{ca: ca, caKey: key, gossip: gossip}, nil
}

// Encrypted tells whether there is a secret at all.
func (s *Secret) Encrypted() bool { return s.ca != nil }

// GossipKey returns the 32-byte key for gossip, nil without a secret.
func (s *Secret) GossipKey() []byte { return s.gossip }

// TLS issues a certificate for the node and returns the two sides of mutual
// TLS, (nil, nil) without a secret. Any certificate of the cluster's authority
// is accepted: who a node is follows from its hello, not from its address.
func (s *Secret) TLS(nodeID string) (server, client *tls.Config, err error) {
	if !s.Encrypted() {
		return nil, nil, nil
	}
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a node key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, fmt.Errorf("make a serial: %w", err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: nodeID}, DNSNames: []string{nodeID},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, s.ca, pub, s.caKey)
	if err != nil {
		return nil, nil, fmt.Errorf("issue a node certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.ca)
	cert := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	server = &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots, NextProtos: []string{protoRPC, ProtoRaft},
	}
	client = &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert},
		// The name in the certificate is a node id, not the address dialled: the
		// chain is verified by hand below instead of by host name.
		InsecureSkipVerify: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			if len(cs.PeerCertificates) == 0 {
				return errors.New("the peer sent no certificate")
			}
			_, err := cs.PeerCertificates[0].Verify(x509.VerifyOptions{
				Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
			})
			if err != nil {
				return fmt.Errorf("the peer belongs to another cluster (its cluster secret differs): %w", err)
			}
			return nil
		},
	}
	return server, client, nil
}
