package peer

import (
	"context"
	"net"

	"google.golang.org/grpc/credentials"
	grpcpeer "google.golang.org/grpc/peer"

	"shoal/wire"
)

// Caller is the node that a handler answers, as its certificate names it; false
// when nothing proves who it is.
func Caller(ctx context.Context) (wire.NodeID, bool) {
	if p, ok := grpcpeer.FromContext(ctx); ok {
		if proven, ok := p.AuthInfo.(proof); ok {
			return proven.node, true
		}
	}
	return "", false
}

// proof is what gRPC carries from a connection to its calls.
type proof struct {
	credentials.CommonAuthInfo
	node wire.NodeID
}

// AuthType names the kind of proof.
func (proof) AuthType() string { return "shoal" }

// proven takes over what the Listener found out in the handshake.
type proven struct{}

// ServerHandshake has nothing left to do.
func (proven) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if known, ok := c.(*Conn); ok {
		return c, proof{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}, known.node}, nil
	}
	return c, nil, nil
}

// ClientHandshake is not used: the link dials itself.
func (proven) ClientHandshake(_ context.Context, _ string, c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return c, nil, nil
}

// Info describes the protocol.
func (proven) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "shoal"}
}

// Clone returns the same: there is no state.
func (p proven) Clone() credentials.TransportCredentials { return p }

// OverrideServerName is not used.
func (proven) OverrideServerName(string) error { return nil }
