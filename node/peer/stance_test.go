package peer

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

const passphrase = "cluster test secret 0123456789"

// outdated is a node as programs before StretchedSince are: it knows the older form
// of the secret only.
func outdated(t *testing.T, s *Secret, node wire.NodeID) (server, client *tls.Config) {
	t.Helper()
	cert, err := s.own.older.issue(node)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.own.older.ca)
	older := proofOf{cert: cert, roots: roots}
	return older.server(), &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}, NextProtos: []string{ProtoRaft}, InsecureSkipVerify: true,
		VerifyConnection: func(cs tls.ConnectionState) error { return older.proves(cs.PeerCertificates[0]) },
	}
}

// formsOfPassphrase are made once: they are expensive by intent.
var formsOfPassphrase = sync.OnceValues(func() (forms, error) { return formsOf(passphrase) })

func secretIn(t *testing.T, stance Stance) *Secret {
	t.Helper()
	forms, err := formsOfPassphrase()
	if err != nil {
		t.Fatal(err)
	}
	s := &Secret{own: forms}
	s.Take(Open, stance)
	if s.Stance() != stance {
		t.Fatalf("the stance is %s, not %s", s.Stance(), stance)
	}
	return s
}

// An older program knows a passphrase in its older form only. It is let in as long as
// the cluster has such programs, and no longer.
func TestAnOlderProgramIsAnsweredInItsFormWhileThereAreSome(t *testing.T) {
	for _, stance := range []Stance{Open, Mixed, Closed} {
		s := secretIn(t, stance)
		self, err := s.Identify("new")
		if err != nil {
			t.Fatal(err)
		}
		ln, err := Listen(machine.System{}, "127.0.0.1:0", self, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		_, old := outdated(t, s, "old")
		c, err := tls.Dial("tcp", ln.Addr().String(), old)
		if (err == nil) != (stance == Mixed) {
			t.Errorf("%s: an older program calls: %v", stance, err)
		}
		if err == nil {
			in, err := ln.Raft().Accept()
			if err != nil {
				t.Fatal(err)
			}
			if in.(*Conn).Node() != "old" {
				t.Errorf("%s: the caller is taken for %s", stance, in.(*Conn).Node())
			}
			_ = in.Close()
			_ = c.Close()
		}
		// Those of one program always understand each other, whatever they stand for.
		for _, other := range []Stance{Open, Mixed, Closed} {
			caller, err := secretIn(t, other).Identify("caller")
			if err != nil {
				t.Fatal(err)
			}
			c, err := DialRaft(machine.System{}, caller, "new", ln.Addr().String(), nowhereElse, 5*time.Second)
			if err != nil {
				t.Fatalf("%s calls %s: %v", other, stance, err)
			}
			if leaf := c.(*tls.Conn).ConnectionState().PeerCertificates[0]; !signedBy(s.own.ca, leaf) {
				t.Errorf("%s calls %s and sees the older form of the secret", other, stance)
			}
			in, err := ln.Raft().Accept()
			if err != nil {
				t.Fatal(err)
			}
			_ = in.Close()
			_ = c.Close()
			if caller.secret.Stance() != other {
				t.Errorf("%s calls %s and becomes %s", other, stance, caller.secret.Stance())
			}
		}
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A new node finds out by the first connection that the cluster has older programs,
// and shows its certificate to nobody who has not proven to know the secret.
func TestAnOlderProgramIsCalledInItsForm(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	old, _ := outdated(t, secretIn(t, Open), "old")
	callers := make(chan string, 4)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			tc := tls.Server(c, old)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			if tc.HandshakeContext(ctx) == nil {
				callers <- tc.ConnectionState().NegotiatedProtocol + " " + tc.ConnectionState().PeerCertificates[0].Subject.CommonName
				_, _ = io.Copy(tc, tc)
			}
			cancel()
			_ = tc.Close()
		}
	}()
	for stance, becomes := range map[Stance]Stance{Open: Mixed, Mixed: Mixed, Closed: Closed} {
		s := secretIn(t, stance)
		var told []Stance
		s.OnStance(func(now Stance) { told = append(told, now) })
		self, err := s.Identify("new")
		if err != nil {
			t.Fatal(err)
		}
		c, err := DialRaft(machine.System{}, self, "old", ln.Addr().String(), nowhereElse, 5*time.Second)
		if (err == nil) != (stance != Closed) {
			t.Errorf("%s calls an older program: %v", stance, err)
		}
		if err == nil {
			if who := <-callers; who != ProtoRaft+" new" {
				t.Errorf("%s: the older program sees %q", stance, who)
			}
			_ = c.Close()
		}
		if s.Stance() != becomes || (stance != becomes) != slices.Equal(told, []Stance{becomes}) {
			t.Errorf("%s becomes %s, %v was told", stance, s.Stance(), told)
		}
		// Another node than the one that is meant is refused in this form, too.
		var wrong *WrongNode
		if _, err := DialRaft(machine.System{}, self, "third", ln.Addr().String(), nowhereElse, 5*time.Second); stance != Closed && !errors.As(err, &wrong) {
			t.Errorf("%s takes the older program for another node: %v", stance, err)
		}
	}
	_ = ln.Close()
	<-done
}

func TestGossipUsesTheOlderFormInAMixedClusterOnly(t *testing.T) {
	s := secretIn(t, Open)
	stretched, older := s.own.gossip, s.own.older.gossip
	for _, c := range []struct {
		stance Stance
		keys   [][]byte
	}{{Open, [][]byte{stretched, older}}, {Mixed, [][]byte{older, stretched}}, {Closed, [][]byte{stretched}}} {
		if got := secretIn(t, c.stance).GossipKeys(); !slices.EqualFunc(got, c.keys, slices.Equal) {
			t.Errorf("%s: %x, not %x", c.stance, got, c.keys)
		}
	}
}

func TestARandomSecretHasOneForm(t *testing.T) {
	s, err := NewSecret(RandomSecret())
	if err != nil {
		t.Fatal(err)
	}
	if s.Stance() != Closed || s.Take(Open, Mixed) || s.Take(Closed, Mixed) || len(s.GossipKeys()) != 1 {
		t.Errorf("%s, %d keys", s.Stance(), len(s.GossipKeys()))
	}
}

func signedBy(ca, leaf *x509.Certificate) bool {
	return ed25519.Verify(ca.PublicKey.(ed25519.PublicKey), leaf.RawTBSCertificate, leaf.Signature)
}
