// Package peer is the link between nodes: one TCP port for Raft and RPC, with
// mutual TLS from the cluster secret, and calls and streams by method name.
//
// Both sides of a connection show a certificate that names their node. The dialling side
// compares the name with the node that it wants; the other side knows its Caller.
// The ALPN protocol says what a connection carries: ProtoRaft connections come out
// of Listener.Raft, all others out of Listener.RPC.
//
// A call or a stream is an exchange: it takes a connection of a pool, sends frames
// and gives the connection back (docs/adr/0034). Errors cross as themselves:
// *apierr.Error by code and message, conditions of package wire by identity
// (errors.Is holds on both sides), anything else as text.
//
// Vocabulary: link (client side of all connections), exchange (one call or stream),
// handler (its server side), frame (one message), node id (who is called; addresses
// are resolved at dial time).
package peer
