package peer

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"log/slog"
	"testing"
	"time"

	"shoal/node/machine"
)

// A caller gets the certificate of a node before it has shown one of its own. It can try
// guesses of the secret on it as fast as it can derive their keys.
func TestAPassphraseIsNotGuessedFromOneHandshake(t *testing.T) {
	const passphrase = "correct horse battery staple"
	secret, err := NewSecret(passphrase)
	if err != nil {
		t.Fatal(err)
	}
	server, err := secret.Identify("server")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := Listen(machine.System{}, "127.0.0.1:0", server, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var seen *tls.ConnectionState
	c, err := tls.Dial("tcp", ln.Addr().String(), &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{protoRPC}, InsecureSkipVerify: true,
		VerifyConnection: func(cs tls.ConnectionState) error { seen = &cs; return nil },
	})
	if err == nil {
		_ = c.Close() // TLS 1.3 tells a client later that it is refused
	}
	if seen == nil || len(seen.PeerCertificates) == 0 {
		t.Fatal("a stranger gets no certificate: this test is of no use any more")
	}
	leaf := seen.PeerCertificates[0]
	// The quick way: the result of HKDF alone for the right secret.
	seed, err := hkdf.Key(sha256.New, []byte(passphrase), nil, "shoal certificate authority v1", ed25519.SeedSize)
	if err != nil {
		t.Fatal(err)
	}
	guess := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	if ed25519.Verify(guess, leaf.RawTBSCertificate, leaf.Signature) {
		t.Error("one hash confirms a guess of the secret: millions can be tried in a second")
	}
	// The slow way works, and takes its time.
	begin := time.Now()
	s, err := NewSecret(passphrase)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	if !ed25519.Verify(s.own.ca.PublicKey.(ed25519.PublicKey), leaf.RawTBSCertificate, leaf.Signature) {
		t.Error("the authority did not sign the certificate")
	}
	t.Logf("one guess takes %s", took.Round(time.Millisecond))
	if took < 10*time.Millisecond {
		t.Errorf("one guess takes only %s", took)
	}
}

func TestARandomSecretCostsNothingAtTheStart(t *testing.T) {
	text := RandomSecret()
	begin := time.Now()
	a, err := NewSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	b, err := NewSecret(text)
	if err != nil || !bytes.Equal(a.own.ca.Raw, b.own.ca.Raw) || !bytes.Equal(a.own.gossip, b.own.gossip) {
		t.Errorf("two nodes make different keys of one secret: %v", err)
	}
	if took > 500*time.Millisecond {
		t.Errorf("the keys took %s", took)
	}
	t.Logf("%s", took)
}
