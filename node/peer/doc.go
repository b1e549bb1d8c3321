// Package peer is the link between nodes: one TCP port for Raft and RPC, with
// mutual TLS from the cluster secret, and calls and streams by method name.
//
// Both sides of a connection show a certificate that names their node. Who dials
// compares the name with the node that is meant; who is dialled knows his Caller.
// The ALPN protocol says what a connection carries: ProtoRaft connections come out
// of Listener.Raft, h2 ones feed the gRPC server, and a direct one is a stream by itself,
// for methods that are asked again and again (direct.go).
//
// RPC is one gRPC service with two methods, Call and Stream, whose frames are
// opaque bytes: a method name, then a message of package wire. Errors cross as
// themselves: *apierr.Error by code and message, conditions of package wire by
// identity (errors.Is holds on both sides), anything else as text.
//
// Vocabulary: link (client side of all connections), handler (server side of
// one method), frame (one message), node id (who is called; addresses are
// resolved at dial time).
package peer
