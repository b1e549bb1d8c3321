package ctl

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
)

// tlsFiles authenticate a command and the nodes of a cluster to each other: PEM files, ""
// for none.
type tlsFiles struct{ authorities, certificate, key string }

// orElse fills missing files in from another set.
func (f tlsFiles) orElse(o tlsFiles) tlsFiles {
	if f.authorities == "" {
		f.authorities = o.authorities
	}
	if f.certificate == "" && f.key == "" {
		f.certificate, f.key = o.certificate, o.key
	}
	return f
}

// transport makes a transport that uses the files.
func (f tlsFiles) transport() (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if f == (tlsFiles{}) {
		return t, nil
	}
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if f.authorities != "" {
		pem, err := os.ReadFile(f.authorities)
		if err != nil {
			return nil, Usage{fmt.Errorf("--cacert: %w", err)}
		}
		t.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, Usage{fmt.Errorf("--cacert: %s holds no PEM certificate", f.authorities)}
		}
	}
	if (f.certificate == "") != (f.key == "") {
		return nil, Usage{errors.New("--cert and --key go together: give both")}
	}
	if f.certificate != "" {
		pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
		if err != nil {
			return nil, Usage{fmt.Errorf("--cert, --key: %w", err)}
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}
