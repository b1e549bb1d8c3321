package node

import (
	"context"
	"errors"
	"io"

	"shoal/coordinator"
	"shoal/coordinator/driver"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// Methods of the shards on the link between nodes.
const (
	methodResolve = "shard.resolve"
	methodBuild   = "shard.build"
	methodList    = "shard.list"
	methodSearch  = "shard.search"
	methodShip    = "shard.ship"
	methodCopy    = "shard.copy"
)

// replicas reaches the shards of every node: this one's by a plain call, the
// others' over the link. It is coordinator.Shards; safe for concurrent use.
type replicas struct {
	self wire.NodeID
	host *shard.Host
	link *peer.Link
	slow func(wire.NodeID) bool // what the log knows, on the leader
}

var _ coordinator.Shards = (*replicas)(nil)

// Resolve asks which payload positions are new to a shard.
func (r *replicas) Resolve(ctx context.Context, node wire.NodeID, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	if node == r.self {
		return r.host.Resolve(ctx, req)
	}
	return peer.Call[wire.ResolveRequest, wire.ResolveReply](ctx, r.link, node, methodResolve, req)
}

// Build has a delta computed.
func (r *replicas) Build(ctx context.Context, node wire.NodeID, req *wire.BuildRequest) (*wire.BuildReply, error) {
	if node == r.self {
		return r.host.Build(ctx, req)
	}
	return peer.Call[wire.BuildRequest, wire.BuildReply](ctx, r.link, node, methodBuild, req)
}

// List reads documents.
func (r *replicas) List(ctx context.Context, node wire.NodeID, req *wire.ListRequest) (*wire.ListReply, error) {
	if node == r.self {
		return r.host.List(ctx, req)
	}
	return peer.Call[wire.ListRequest, wire.ListReply](ctx, r.link, node, methodList, req)
}

// Suspect tells whether a node seems not to answer, or is known to be slow.
func (r *replicas) Suspect(node wire.NodeID) bool {
	return node != r.self && (r.link.Suspect(node) || r.slow(node))
}

// OpenSearch starts a session.
func (r *replicas) OpenSearch(ctx context.Context, node wire.NodeID, req *wire.SearchOpen) (wire.Session, error) {
	if node == r.self {
		return r.host.OpenSearch(ctx, req)
	}
	// The session outlives the call that opens it: it ends with Close, and each
	// step with the step's own context.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	st, err := r.link.Open(life, node, methodSearch)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &remoteSession{st: st, cancel: cancel}
	if err := st.Send(req); err != nil {
		cancel()
		return nil, err
	}
	// The first reply tells that the View is open, and answers the first step.
	reply := new(wire.SearchReply)
	if err := st.Recv(reply); err != nil {
		cancel()
		return nil, streamEnd(err)
	}
	if req.First != nil {
		s.first = reply
	}
	return s, nil
}

// remoteSession is a session on another node.
type remoteSession struct {
	st     *peer.ClientStream
	cancel context.CancelFunc
	// first is the answer to the step that was sent along with opening.
	first *wire.SearchReply
}

// Step sends one step and waits for its reply. The session's own context, not
// ctx, bounds the wait: a step that is given up ends the session.
func (s *remoteSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if reply := s.first; reply != nil {
		s.first = nil
		return reply, nil
	}
	stop := context.AfterFunc(ctx, s.cancel)
	defer stop()
	if err := s.st.Send(step); err != nil {
		return nil, err
	}
	reply := new(wire.SearchReply)
	if err := s.st.Recv(reply); err != nil {
		return nil, streamEnd(err)
	}
	return reply, nil
}

// Close ends the session on both sides.
func (s *remoteSession) Close() error { s.cancel(); return nil }

// streamEnd: a stream that ends without an answer is a lost replica.
func streamEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return wire.ErrUnavailable
	}
	return err
}

// registerShards answers other nodes' calls with this node's shards.
func registerShards(s *peer.Server, h *shard.Host) {
	peer.Handle(s, methodResolve, h.Resolve)
	peer.Handle(s, methodBuild, h.Build)
	peer.Handle(s, methodList, h.List)
	peer.Handle(s, methodCompact, h.Compact)
	s.HandleStream(methodSearch, func(st peer.Stream) error { return serveSearch(st, h) })
	s.HandleStream(methodCopy, func(st peer.Stream) error { return serveCopy(st, h) })
	s.HandleStream(methodShip, func(st peer.Stream) error {
		if _, err := h.Receive(&chunkReader{recv: st.Recv}); err != nil {
			return err
		}
		return st.Send(&wire.BlobChunk{Last: true})
	})
}

// serveSearch is the other end of a remote session.
func serveSearch(st peer.Stream, h *shard.Host) (err error) {
	var open wire.SearchOpen
	if err := st.Recv(&open); err != nil {
		return err
	}
	session, err := h.OpenSearch(st.Context(), &open)
	if err != nil {
		return err
	}
	server := driver.NewPrefetchServer(session, func() (wire.Session, error) { return h.OpenSearch(st.Context(), &open) })
	defer func() { err = errors.Join(err, server.Close()) }()
	reply := &wire.SearchReply{}
	if open.First != nil {
		reply, err = server.Step(st.Context(), open.First)
	}
	for err == nil {
		if err = st.Send(reply); err != nil {
			return err
		}
		step := new(wire.SearchStep)
		if err := st.Recv(step); err != nil {
			return err // io.EOF or the client's cancellation: the search is over
		}
		reply, err = server.Step(st.Context(), step)
	}
	return err
}

// chunkBytes is how much of a byte stream one message carries.
const chunkBytes = 256 << 10

// ship streams what write writes to another node's Host.Receive.
func (n *Node) ship(ctx context.Context, node wire.NodeID, write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, err := n.link.Open(ctx, node, methodShip)
	if err != nil {
		return err
	}
	w := &chunkWriter{send: st.Send}
	if err := write(w); err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	return streamEnd(st.Recv(new(wire.BlobChunk)))
}

// chunkWriter turns a byte stream into messages.
type chunkWriter struct {
	send func(any) error
	buf  []byte
}

func (w *chunkWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), chunkBytes-len(w.buf))
		w.buf, p = append(w.buf, p[:k]...), p[k:]
		if len(w.buf) == chunkBytes {
			if err := w.flush(false); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func (w *chunkWriter) flush(last bool) error {
	err := w.send(&wire.BlobChunk{Data: w.buf, Last: last})
	w.buf = w.buf[:0]
	return err
}

func (w *chunkWriter) close() error { return w.flush(true) }

// chunkReader reads such messages as a byte stream.
type chunkReader struct {
	recv func(any) error
	buf  []byte
	last bool
}

func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.buf) == 0 {
		if r.last {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

func (r *chunkReader) next() error {
	var c wire.BlobChunk
	if err := r.recv(&c); err != nil {
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	r.buf, r.last = c.Data, c.Last
	return nil
}

// FetchDelta opens one delta of another node's shard.
func (r *replicas) FetchDelta(ctx context.Context, from wire.NodeID, ref *wire.PendingRef) (io.ReadCloser, error) {
	return r.fetch(ctx, from, &wire.CopyRequest{Ref: *ref})
}

// FetchCopy opens a whole shard of another node.
func (r *replicas) FetchCopy(ctx context.Context, from wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error) {
	return r.fetch(ctx, from, &wire.CopyRequest{Ref: wire.PendingRef{Key: key}, Whole: true, Version: version})
}

// fetch opens a stream in the form that Host.Receive takes in.
func (r *replicas) fetch(ctx context.Context, from wire.NodeID, req *wire.CopyRequest) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	st, err := r.link.Open(ctx, from, methodCopy)
	if err != nil {
		cancel()
		return nil, err
	}
	if err := st.Send(req); err != nil {
		cancel()
		return nil, err
	}
	// The first chunk tells whether the node has it.
	in := &fetched{chunkReader: chunkReader{recv: st.Recv}, cancel: cancel}
	if err := in.next(); err != nil {
		cancel()
		return nil, err
	}
	return in, nil
}

// fetched is a stream from another node; closing it ends the transfer.
type fetched struct {
	chunkReader
	cancel context.CancelFunc
}

func (f *fetched) Close() error { f.cancel(); return nil }

// serveCopy is the other side of fetch.
func serveCopy(st peer.Stream, h *shard.Host) error {
	var req wire.CopyRequest
	if err := st.Recv(&req); err != nil {
		return err
	}
	w := &chunkWriter{send: st.Send}
	if req.Whole {
		if _, err := h.SendCopy(st.Context(), req.Ref.Key, req.Version, w); err != nil {
			return err
		}
	} else if err := h.Send(&req.Ref, w); err != nil {
		return err
	}
	return w.close()
}
