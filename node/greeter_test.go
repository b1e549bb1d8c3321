package node

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"shoal/consensus"
	"shoal/node/machine"
	"shoal/node/peer"
	"shoal/wire"
)

func TestAReportInTheNameOfAnotherNodeIsRefused(t *testing.T) {
	secret, err := peer.NewSecret(peer.RandomSecret())
	if err != nil {
		t.Fatal(err)
	}
	server, err := secret.Identify("leader")
	if err != nil {
		t.Fatal(err)
	}
	client, err := secret.Identify("stranger")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	ln, err := peer.Listen(machine.System{}, "127.0.0.1:0", server, log)
	if err != nil {
		t.Fatal(err)
	}
	srv := peer.NewServer(log)
	peer.Handle(srv, methodRaft, func(ctx context.Context, call *raftCall) (*consensus.Reply, error) {
		return &consensus.Reply{Leased: true}, speaksFor(ctx, call.Request.Report.Node)
	})
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln.RPC()) }()
	link := peer.NewLink(machine.System{}, client, func(wire.NodeID) (string, bool) { return ln.Addr().String(), true })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for named, honest := range map[wire.NodeID]bool{"stranger": true, "voter": false} {
		call := &raftCall{Request: consensus.Request{Report: &consensus.Report{Node: named}}}
		if _, err := peer.Call[raftCall, consensus.Reply](ctx, link, "leader", methodRaft, call); honest != (err == nil) {
			t.Errorf("a report in the name of %s: %v", named, err)
		}
	}
	if err := link.Close(); err != nil {
		t.Error(err)
	}
	srv.Close()
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
