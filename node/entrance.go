package node

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"shoal/node/address"
	"shoal/node/config"
	"shoal/node/startup"
)

// leaseWait keeps a refusal without a leader within the promised five seconds.
const leaseWait = 4 * time.Second

// entrance is the listener for clients. It answers probes, and holds other requests for a
// while, until the node serves.
type entrance struct {
	*startup.Listener
	certificateEnds *time.Time // nil without a certificate
}

// openEntrance binds the address for clients.
func openEntrance(p *process) (*entrance, error) {
	bound, err := listenClients(p)
	if err != nil {
		return nil, address.Fault("--http-addr", p.cfg.HTTPAddr, err)
	}
	ln, ends, err := clientTLS(&p.cfg, bound)
	if err != nil {
		return nil, errors.Join(err, bound.Close())
	}
	tcp, ok := bound.(interface{ SetDeadline(t time.Time) error })
	if !ok {
		return nil, errors.Join(fmt.Errorf("--http-addr %s is no TCP address", bound.Addr()), bound.Close())
	}
	e := &entrance{certificateEnds: ends, Listener: startup.Attend(startup.Config{
		Listener: ln, Interrupt: tcp.SetDeadline, Hold: leaseWait, Why: "the node starts", Log: p.sparingly("http"),
	})}
	p.opened("client address", func() error { return address.IgnoreClosed(e.Close()) })
	return e, nil
}

// listenClients binds --http-addr, unless the parent did.
func listenClients(p *process) (net.Listener, error) {
	if p.cfg.HTTPFile == 0 {
		return p.on.Network.Listen(p.cfg.HTTPAddr)
	}
	f := os.NewFile(uintptr(p.cfg.HTTPFile), "listener for clients")
	ln, err := net.FileListener(f)
	return ln, errors.Join(err, f.Close())
}

// clientTLS puts HTTPS around the listener when certificates were given. ends is the expiry
// of the certificate.
func clientTLS(c *config.Config, ln net.Listener) (secured net.Listener, ends *time.Time, err error) {
	if c.TLSCert == "" {
		return ln, nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, nil, fmt.Errorf("--ssl-cert-path, --ssl-key-path: %w", err)
	}
	if c.TLSOCSP != "" {
		if cert.OCSPStaple, err = os.ReadFile(c.TLSOCSP); err != nil {
			return nil, nil, fmt.Errorf("--ssl-ocsp-path: %w", err)
		}
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
	if c.TLSClientCA != "" {
		pem, err := os.ReadFile(c.TLSClientCA)
		if err != nil {
			return nil, nil, fmt.Errorf("--ssl-auth-path: %w", err)
		}
		secure.ClientCAs = x509.NewCertPool()
		if !secure.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, nil, fmt.Errorf("--ssl-auth-path: %s holds no PEM certificate", c.TLSClientCA)
		}
		secure.ClientAuth = tls.VerifyClientCertIfGiven
		if c.TLSRequireClient {
			secure.ClientAuth = tls.RequireAndVerifyClientCert
		}
	}
	return tls.NewListener(ln, secure), &cert.Leaf.NotAfter, nil
}
