package link

import (
	"context"
	"errors"
	"io"
	"time"

	"shoal/coordinator"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/shard/shipment"
	"shoal/wire"
)

// Methods of the shards on the link between nodes.
const (
	methodResolve   = "shard.resolve"
	methodBuild     = "shard.build"
	methodEmbedding = "shard.embedding"
	methodList      = "shard.list"
	methodSearch    = "shard.search"
	methodShip      = "shard.ship"
	methodCopy      = "shard.copy"
)

// New returns access to the shards of every node. slow tells which nodes are slow according
// to the leader's log.
func New(self wire.NodeID, host *shard.Host, link *peer.Link, slow func(wire.NodeID) bool) *Shards {
	return &Shards{self: self, host: host, link: link, slow: slow}
}

// Shards reaches the shards of every node: those of this node by a plain call, the others
// over the link. It implements coordinator.Shards. Safe for concurrent use.
type Shards struct {
	self wire.NodeID
	host *shard.Host
	link *peer.Link
	slow func(wire.NodeID) bool // known to the leader's log
}

var _ coordinator.Shards = (*Shards)(nil)

// Resolve asks which payload positions are new to a shard.
func (r *Shards) Resolve(ctx context.Context, node wire.NodeID, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	return ask(ctx, r, node, r.host.Resolve, methodResolve, req)
}

// Build makes a node compute a delta.
func (r *Shards) Build(ctx context.Context, node wire.NodeID, req *wire.BuildRequest) (*wire.BuildReply, error) {
	return ask(ctx, r, node, r.host.Build, methodBuild, req)
}

// Embedding asks a builder how far its vectors are. Nodes of older versions do not know.
func (r *Shards) Embedding(ctx context.Context, node wire.NodeID, req *wire.EmbeddingRequest) (*wire.EmbedderFigures, error) {
	return ask(ctx, r, node, r.host.Embedding, methodEmbedding, req)
}

// List reads documents.
func (r *Shards) List(ctx context.Context, node wire.NodeID, req *wire.ListRequest) (*wire.ListReply, error) {
	return ask(ctx, r, node, r.host.List, methodList, req)
}

// ask has this node answer by itself, and another one by a method of its.
func ask[Q, A any](ctx context.Context, r *Shards, node wire.NodeID, here func(context.Context, *Q) (*A, error), method string, req *Q) (*A, error) {
	if node == r.self {
		return here(ctx, req)
	}
	return peer.Call[Q, A](ctx, r.link, node, method, req)
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
	begun := time.Now()
	s := new(remoteSession)
	err := s.open(ctx, r.link, node, req)
	if err != nil && s.reused && errors.Is(err, wire.ErrUnavailable) && ctx.Err() == nil && time.Since(begun)-s.meanwhile <= atOnce {
		// The connection had ended while unused: its node went away, and may be back.
		s = new(remoteSession)
		err = s.open(ctx, r.link, node, req)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// atOnce bounds the time in which an ended connection reports its end. A node that hangs
// takes longer and is not asked again.
const atOnce = 100 * time.Millisecond

// FetchDelta opens one delta of another node's shard.
func (r *Shards) FetchDelta(ctx context.Context, from wire.NodeID, ref *wire.PendingRef) (io.ReadCloser, error) {
	return r.fetch(ctx, from, &wire.CopyRequest{Ref: *ref})
}

// FetchCopy opens a whole shard of another node.
func (r *Shards) FetchCopy(ctx context.Context, from wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error) {
	return r.fetch(ctx, from, &wire.CopyRequest{Ref: wire.PendingRef{Key: key}, Whole: true, Version: version})
}

// fetch opens a stream in the form that Copies.Receive accepts.
func (r *Shards) fetch(ctx context.Context, from wire.NodeID, req *wire.CopyRequest) (io.ReadCloser, error) {
	st, err := r.link.Open(ctx, from, methodCopy)
	if err != nil {
		return nil, err
	}
	if err := st.Send(req); err != nil {
		st.Close()
		return nil, err
	}
	// The first chunk tells whether the node has the data.
	in := &fetched{ChunkReader: peer.ChunkReader{Recv: st.Recv}, from: st}
	if err := in.Next(); err != nil {
		st.Close()
		return nil, err
	}
	return in, nil
}

// Ship streams the output of write to another node's Copies.Receive.
func Ship(ctx context.Context, l *peer.Link, node wire.NodeID, write func(io.Writer) error) error {
	return peer.Upload(ctx, l, node, methodShip, func(send func(any) error) error {
		w := &peer.ChunkWriter{Send: send}
		if err := write(w); err != nil {
			return err
		}
		return w.Close()
	}, new(wire.BlobChunk))
}

// fetched is a stream from another node; closing it ends the transfer.
type fetched struct {
	peer.ChunkReader
	from *peer.ClientStream
}

func (f *fetched) Close() error { f.from.Close(); return nil }

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

// Deliver makes a node receive a shard, under the number of an index.
func (c Copies) Deliver(ctx context.Context, to wire.NodeID, index uint32, content io.Reader) error {
	if to != c.self {
		return Ship(ctx, c.link, to, func(w io.Writer) error { return shipment.Rekey(content, index, w) })
	}
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { // ends with the copy, or with the first write after the reader was closed
		err := shipment.Rekey(content, index, in)
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
