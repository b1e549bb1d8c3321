package peer

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// ALPN protocols of the one port between nodes.
const (
	ProtoRaft = "shoal-raft/1"
	// protoRPC carries one exchange of frames after the other.
	protoRPC = "shoal-rpc/1"
	// protoGRPC and protoDirect are the protocols of older programs (older.go): the one by
	// which they call, and the one in which they answer this program.
	protoGRPC   = "h2"
	protoDirect = "shoal-direct/1"
	// protoStretched is never chosen. An older program expects it to be offered by all
	// nodes that treat the secret as this one does.
	protoStretched = "shoal-stretched/1"
)

// Identity is a node's proof of who it is: a certificate that the cluster's authority
// issued for its id. Both sides of every connection show one. The dialling side says which
// node it wants, because another node may have come to the address. Immutable; safe for
// concurrent use.
type Identity struct {
	node  wire.NodeID
	cert  tls.Certificate
	roots *x509.CertPool
}

// Identify issues a node's certificate.
func (s *Secret) Identify(node wire.NodeID) (*Identity, error) {
	id := &Identity{node: node, roots: x509.NewCertPool()}
	for _, k := range s.all() {
		id.roots.AddCert(k.ca)
	}
	var err error
	id.cert, err = s.own.issue(node)
	return id, err
}

// issue signs a certificate with a new key.
func (k *keys) issue(node wire.NodeID) (tls.Certificate, error) {
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a node key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a serial: %w", err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: string(node)}, DNSNames: []string{string(node)},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, k.ca, pub, k.caKey)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("issue a node certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// WrongNode: another node than the dialled one answers at an address.
type WrongNode struct {
	Addr         string
	Want, Answer wire.NodeID
}

func (e *WrongNode) Error() string {
	return fmt.Sprintf("node %s answers at %s, which is known as the address of node %s: give each node an address of its own (--peer-addr, --advertise-peer)",
		e.Answer, e.Addr, e.Want)
}

// server is the TLS configuration of the dialled side. Any node of the cluster may call;
// its certificate names it.
func (id *Identity) server() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{id.cert},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: id.roots,
		NextProtos:                  []string{protoRPC, protoGRPC, ProtoRaft}, // the first one that the other side offers, too
		DynamicRecordSizingDisabled: true,
		SessionTicketsDisabled:      true, // nobody resumes; machine.Quiet would take tickets for a message
	}
}

// client is the TLS configuration of the side that dials addr and wants the node want; an
// empty want means any node of the cluster there. A stranger who answers sees no
// certificate, because the other side proves itself first.
func (id *Identity) client(want wire.NodeID, addr string, protocols ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: append(protocols, protoStretched),
		DynamicRecordSizingDisabled: true, // small records are for browsers that show half a page
		GetClientCertificate:        func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &id.cert, nil },
		// The name in the certificate is a node id, not the address dialled: chain
		// and id are verified by hand below instead of by host name.
		InsecureSkipVerify: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			if len(cs.PeerCertificates) == 0 {
				return errors.New("the peer sent no certificate")
			}
			_, err := cs.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: id.roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
			if err != nil {
				return fmt.Errorf("the peer belongs to another cluster (its cluster secret differs): %w", err)
			}
			if got := holder(&cs); want != "" && got != want {
				return &WrongNode{Addr: addr, Want: want, Answer: got}
			}
			return nil
		},
	}
}

// holder is the node that the verified certificate of the other side names.
func holder(cs *tls.ConnectionState) wire.NodeID {
	return wire.NodeID(cs.PeerCertificates[0].Subject.CommonName)
}

// Conn is a connection whose other side has proven its identity.
type Conn struct {
	net.Conn
	node wire.NodeID
	// protocol is what it carries.
	protocol string
}

// Node is the other side's id.
func (c *Conn) Node() wire.NodeID { return c.node }

// Twin tells whether another process with this node's id answers at addr: one that was
// started with a copy of its data folder. This process itself does not count, because it
// knows its own key. It returns false if nobody answers within ctx.
func (id *Identity) Twin(ctx context.Context, network machine.Network, addr string) bool {
	c, err := greet(ctx, network, addr, id.client(id.node, addr, protoRPC, protoGRPC))
	if err != nil {
		return false // nobody, another node, or another cluster's
	}
	shown := c.ConnectionState().PeerCertificates[0].Raw
	_ = c.Close() // nothing was sent
	return !bytes.Equal(shown, id.cert.Certificate[0])
}
