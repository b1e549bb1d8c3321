// Package peer is the link between nodes: one TCP port for Raft and RPC, with
// mutual TLS from the cluster secret, and calls and streams by method name.
//
// A connection says with its first bytes what it carries: under TLS the ALPN
// protocol decides (ProtoRaft or h2), in plain text the first byte (raftByte for
// Raft, the HTTP/2 preface otherwise). Raft connections come out of
// Listener.Raft, all others feed the gRPC server.
//
// RPC is one gRPC service with two methods, Call and Stream, whose frames are
// opaque bytes: a method name, then a message of package wire. Errors cross as
// themselves: *api.Error by code and message, conditions of package wire by
// identity (errors.Is holds on both sides), anything else as text.
//
// Vocabulary: link (client side of all connections), handler (server side of
// one method), frame (one message), node id (who is called; addresses are
// resolved at dial time).
package peer
