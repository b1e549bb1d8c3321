package link

import (
	"context"
	"errors"
	"io"
	"time"

	"shoal/coordinator"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
	"shoal/wire/span"
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

// New returns what reaches the shards of every node. slow is what the log of
// the leader knows.
func New(self wire.NodeID, host *shard.Host, link *peer.Link, slow func(wire.NodeID) bool) *Shards {
	return &Shards{self: self, host: host, link: link, slow: slow}
}

// Shards reaches the shards of every node: this one's by a plain call, the
// others' over the link. It is coordinator.Shards; safe for concurrent use.
type Shards struct {
	self wire.NodeID
	host *shard.Host
	link *peer.Link
	slow func(wire.NodeID) bool // what the log knows, on the leader
	idle streams
}

var _ coordinator.Shards = (*Shards)(nil)

// Resolve asks which payload positions are new to a shard.
func (r *Shards) Resolve(ctx context.Context, node wire.NodeID, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	if node == r.self {
		return r.host.Resolve(ctx, req)
	}
	return peer.Call[wire.ResolveRequest, wire.ResolveReply](ctx, r.link, node, methodResolve, req)
}

// Build has a delta computed.
func (r *Shards) Build(ctx context.Context, node wire.NodeID, req *wire.BuildRequest) (*wire.BuildReply, error) {
	if node == r.self {
		return r.host.Build(ctx, req)
	}
	return peer.Call[wire.BuildRequest, wire.BuildReply](ctx, r.link, node, methodBuild, req)
}

// List reads documents.
func (r *Shards) List(ctx context.Context, node wire.NodeID, req *wire.ListRequest) (*wire.ListReply, error) {
	if node == r.self {
		return r.host.List(ctx, req)
	}
	return peer.Call[wire.ListRequest, wire.ListReply](ctx, r.link, node, methodList, req)
}

// Suspect tells whether a node seems not to answer, or is known to be slow.
func (r *Shards) Suspect(node wire.NodeID) bool {
	return node != r.self && (r.link.Suspect(node) || r.slow(node))
}

// OpenSearch starts a session.
func (r *Shards) OpenSearch(ctx context.Context, node wire.NodeID, req *wire.SearchOpen) (wire.Session, error) {
	if node == r.self {
		return r.host.OpenSearch(ctx, req)
	}
	traced := span.Leaving(ctx) != "" // the trace goes with the beginning of a stream
	if kept := r.idle.take(node); kept != nil && !traced {
		if !kept.Direct() {
			r.straighten(node)
		}
		begun := time.Now()
		session, err := r.openOn(ctx, kept, req, kept.opening(req), true)
		if err == nil || !errors.Is(err, wire.ErrUnavailable) || ctx.Err() != nil || time.Since(begun)-kept.elsewhere > atOnce {
			return session, err
		}
		// The stream had ended while nobody used it: its node went away, and may be back.
		r.idle.drop(node)
	} else if kept != nil {
		r.idle.put(kept)
	}
	fresh, err := r.begin(ctx, node, req.Spare, traced)
	if err != nil {
		return nil, err
	}
	return r.openOn(ctx, fresh, req, req, !traced)
}

// atOnce is the time in which a stream that has ended says so; a node that hangs takes
// longer, and is not asked again.
const atOnce = 100 * time.Millisecond

// straighten has the next searches of a node, to which this one has had a stream before,
// find a direct one.
func (r *Shards) straighten(node wire.NodeID) {
	r.link.Straighten(node, methodSearch, func(st *peer.ClientStream, end context.CancelFunc) {
		r.idle.put(&stream{ClientStream: st, node: node, end: end, new: true})
	})
}

// begin begins a stream for searches. It outlives the call that needs it.
func (r *Shards) begin(ctx context.Context, node wire.NodeID, spare, traced bool) (*stream, error) {
	life := context.Background()
	if traced {
		life = context.WithoutCancel(ctx)
	}
	life, end := context.WithCancel(life)
	stop := context.AfterFunc(ctx, end)
	begin := r.link.Open
	if spare {
		begin = r.link.OpenSpare
	}
	st, err := begin(life, node, methodSearch)
	if stopped := stop(); err == nil && !stopped {
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		return nil, err
	}
	return &stream{ClientStream: st, node: node, end: end}, nil
}

// openOn opens a session on a stream by a message that says so; the stream ends when that
// fails. again tells that others may use it afterwards.
func (r *Shards) openOn(ctx context.Context, on *stream, req *wire.SearchOpen, message any, again bool) (wire.Session, error) {
	on.Spare(req.Spare)
	on.elsewhere = 0
	s := &remoteSession{stream: on}
	err := s.tell(message)
	if err == nil && req.Meanwhile != nil {
		begun := time.Now()
		req.Meanwhile()
		on.elsewhere = time.Since(begun)
	}
	var reply *wire.SearchReply
	if err == nil {
		reply, err = s.Receive(ctx)
	}
	if err != nil {
		on.end()
		return nil, err
	}
	// The first reply tells that the View is open, and answers the first step.
	s.waited = time.Duration(reply.WaitedMicros) * time.Microsecond
	if again && reply.Again {
		s.idle = &r.idle
	}
	if req.First != nil {
		s.first = reply
	}
	return s, nil
}

// FetchDelta opens one delta of another node's shard.
func (r *Shards) FetchDelta(ctx context.Context, from wire.NodeID, ref *wire.PendingRef) (io.ReadCloser, error) {
	return r.fetch(ctx, from, &wire.CopyRequest{Ref: *ref})
}

// FetchCopy opens a whole shard of another node.
func (r *Shards) FetchCopy(ctx context.Context, from wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error) {
	return r.fetch(ctx, from, &wire.CopyRequest{Ref: wire.PendingRef{Key: key}, Whole: true, Version: version})
}

// fetch opens a stream in the form that Host.Receive takes in.
func (r *Shards) fetch(ctx context.Context, from wire.NodeID, req *wire.CopyRequest) (io.ReadCloser, error) {
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
	in := &fetched{ChunkReader: peer.ChunkReader{Recv: st.Recv}, cancel: cancel}
	if err := in.Next(); err != nil {
		cancel()
		return nil, err
	}
	return in, nil
}

// Ship streams what write writes to another node's Host.Receive.
func Ship(ctx context.Context, l *peer.Link, node wire.NodeID, write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, err := l.Open(ctx, node, methodShip)
	if err != nil {
		return err
	}
	w := &peer.ChunkWriter{Send: st.Send}
	if err := write(w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return streamEnd(st.Recv(new(wire.BlobChunk)))
}

// fetched is a stream from another node; closing it ends the transfer.
type fetched struct {
	peer.ChunkReader
	cancel context.CancelFunc
}

func (f *fetched) Close() error { f.cancel(); return nil }

// Copies moves whole shards between nodes and files.
type Copies struct{ *Shards }

// FetchCopy opens a whole shard of any node, this one included.
func (c Copies) FetchCopy(ctx context.Context, from wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error) {
	if from != c.self {
		return c.Shards.FetchCopy(ctx, from, key, version)
	}
	r, w := io.Pipe()
	go func() { // ends with the copy, or with the first write after the reader was closed
		_, err := c.host.SendCopy(ctx, key, version, w)
		_ = w.CloseWithError(err)
	}()
	return r, nil
}

// Deliver has a node take in a shard, under the number of an index.
func (c Copies) Deliver(ctx context.Context, to wire.NodeID, index uint32, content io.Reader) error {
	if to != c.self {
		return Ship(ctx, c.link, to, func(w io.Writer) error { return shard.Rekey(content, index, w) })
	}
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { // ends with the copy, or with the first write after the reader was closed
		err := shard.Rekey(content, index, in)
		_ = in.CloseWithError(err)
		done <- err
	}()
	_, err := c.host.Receive(out)
	_ = out.CloseWithError(err)
	if rekeyErr := <-done; err == nil {
		err = rekeyErr
	}
	return err
}
