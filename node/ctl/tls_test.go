package ctl

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// pemFile writes one block and returns its path.
func pemFile(t *testing.T, name, kind string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// No command could reach a cluster with --ssl-require-auth.
func TestCommandsReachAClusterThatDemandsCertificates(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, shownStatus) }))
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	mine := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, mine, mine, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool()}
	s.TLS.ClientCAs.AddCert(parsed)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	cert, private := pemFile(t, "cert", "CERTIFICATE", der), pemFile(t, "key", "PRIVATE KEY", secret)
	server := pemFile(t, "ca", "CERTIFICATE", s.Certificate().Raw)
	run := func(r Remote) error { return (&ShowStatus{Remote: r}).Run(t.Context(), io.Discard) }

	if err := run(Remote{URL: s.URL, CACert: server, Cert: cert, Key: private}); err != nil {
		t.Error(err)
	}
	if err := run(Remote{URL: s.URL, CACert: server}); err == nil {
		t.Error("it was reached without a certificate")
	}
	if err := run(Remote{URL: s.URL, Cert: cert, Key: private}); err == nil {
		t.Error("a server that nobody vouches for was believed")
	}
	if err := (&setContext{Name: "safe", URL: s.URL, CACert: server, Cert: cert, Key: private}).Run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := run(Remote{}); err != nil {
		t.Errorf("by the context: %v", err)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // no context
	for _, r := range []Remote{{Cert: cert}, {Key: private}, {Cert: cert, Key: cert}, {CACert: private}, {CACert: cert + ".none"}} {
		r.URL = s.URL
		var usage Usage
		if err := run(r); !errors.As(err, &usage) {
			t.Errorf("%+v: %v, want a mistake of usage", r, err)
		}
	}
	// A node that nobody vouches for is not asked again and again.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	unknown := Remote{URL: s.URL, Cert: cert, Key: private}
	if err := unknown.Verify(ctx, "", io.Discard); err == nil || ctx.Err() != nil {
		t.Errorf("without --cacert: %v", err)
	}
}
