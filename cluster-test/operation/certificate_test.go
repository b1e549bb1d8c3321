package operation

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// certificate makes a certificate for this machine that vouches for itself. It returns the
// files of it and of its key.
func certificate(t *testing.T, lasts time.Duration) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Minute), NotAfter: now.Add(lasts), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// A node that demands certificates is operated by every command with one, and by none
// without.
func TestAnOperatorWithAClientCertificateUsesEveryCommand(t *testing.T) {
	c := rig.New(t, 1, "SHOAL_DUMP_DIR="+t.TempDir(), "SHOAL_SNAPSHOT_DIR="+t.TempDir())
	n := c.Nodes[0]
	server, serverKey := certificate(t, 90*24*time.Hour)
	mine, mineKey := certificate(t, 90*24*time.Hour)
	n.Option("ssl-cert-path", server)
	n.Option("ssl-key-path", serverKey)
	n.Option("ssl-auth-path", mine)
	n.Args("--ssl-require-auth")
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, c.Binary, args...).CombinedOutput()
		return string(out), err
	}
	with := []string{"--url=https://" + n.HTTP, "--cacert=" + server, "--cert=" + mine, "--key=" + mineKey}
	for last := ""; ; pause(ctx) {
		text, err := command(append([]string{"status"}, with...)...)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the node is not ready: %s", last)
		}
		last = text
	}
	films := filepath.Join(t.TempDir(), "films.ndjson")
	if err := os.WriteFile(films, []byte(`{"id":1,"title":"Voyage"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tried := range []struct {
		args []string
		says string
	}{
		{[]string{"import", "films", films}, "1"}, {[]string{"status"}, "films"}, {[]string{"check"}, "OK - serving"}, {[]string{"top", "--once"}, "n1"},
		{[]string{"slowlog", "--threshold=1s"}, "Every node logs"}, {[]string{"explain", "films", "voyage"}, "voyage"}, {[]string{"dump"}, "dump"}, {[]string{"snapshot"}, "snapshot"},
		{[]string{"debug", "zip", filepath.Join(t.TempDir(), "debug.zip")}, "1 nodes"}, {[]string{"verify"}, "0 damaged"},
	} {
		if text, err := command(append(tried.args, with...)...); err != nil || !strings.Contains(strings.ToLower(text), strings.ToLower(tried.says)) {
			t.Errorf("shoal %s: %v, want %q in\n%s", strings.Join(tried.args, " "), err, tried.says, text)
		}
	}
	if text, err := command("status", with[0], with[1]); err == nil || !strings.Contains(text, "certificate") {
		t.Errorf("without a certificate: %v\n%s", err, text)
	}
}
