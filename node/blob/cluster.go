package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"shoal/node/peer"
	"shoal/wire"
)

// Methods on the link between nodes.
const (
	methodPut = "blob.put"
	methodGet = "blob.get"
)

// chunkSize is how much of a blob one message carries.
const chunkSize = 256 << 10

// Cluster stages blobs on several nodes. Safe for concurrent use.
type Cluster struct {
	self  wire.NodeID
	store *Store
	link  *peer.Link
	// targets returns the wanted number of copies (f+1) and the other nodes to store them
	// on, in order of preference.
	targets func() (copies int, others []wire.NodeID)
	// epoch is the stage epoch this node has applied.
	epoch func() uint64
	// member tells whether a node belongs to the cluster, and its name.
	member func(wire.NodeID) (name string, ok bool)
}

// NewCluster returns a cluster that stages in the local store and over the link.
func NewCluster(self wire.NodeID, store *Store, link *peer.Link, targets func() (int, []wire.NodeID), epoch func() uint64,
	member func(wire.NodeID) (name string, ok bool)) *Cluster {
	return &Cluster{self: self, store: store, link: link, targets: targets, epoch: epoch, member: member}
}

// Register serves the transfers of other nodes.
func (c *Cluster) Register(s *peer.Server) {
	s.HandleStream(methodPut, c.receive)
	s.HandleStream(methodGet, c.send)
}

// Stage stores content durably on the wanted number of nodes. It returns which nodes, and
// the oldest epoch among them. It returns wire.ErrUnavailable if too few nodes accept it,
// and errors of content unchanged.
func (c *Cluster) Stage(ctx context.Context, content io.Reader, _ int64) (*wire.BlobRef, uint64, error) {
	epoch := c.epoch()
	w, err := c.store.Create()
	if err != nil {
		return nil, 0, err
	}
	defer w.Close()
	if _, err := io.Copy(w, content); err != nil {
		return nil, 0, err
	}
	id, size, err := w.Commit("", epoch)
	if err != nil {
		return nil, 0, err
	}
	ref := &wire.BlobRef{ID: id, Size: size, Nodes: []wire.NodeID{c.self}}
	copies, others := c.targets()
	var errs []error
	for _, n := range others {
		if len(ref.Nodes) >= copies {
			break
		}
		e, err := c.put(ctx, n, ref)
		if err != nil {
			if ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			errs = append(errs, err)
			continue
		}
		ref.Nodes, epoch = append(ref.Nodes, n), min(epoch, e)
	}
	if len(ref.Nodes) < copies {
		return nil, 0, fmt.Errorf("staged on %d of %d nodes: %w", len(ref.Nodes), copies, errors.Join(append(errs, wire.ErrUnavailable)...))
	}
	return ref, epoch, nil
}

func (c *Cluster) put(ctx context.Context, n wire.NodeID, ref *wire.BlobRef) (uint64, error) {
	f, err := c.store.Get(ref.ID)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var done wire.BlobStored
	err = peer.Upload(ctx, c.link, n, methodPut, func(send func(any) error) error {
		return sendFile(f, ref.ID, ref.Size, send)
	}, &done)
	return done.Epoch, err
}

func sendFile(f io.Reader, id string, size int64, send func(any) error) error {
	buf := make([]byte, chunkSize)
	first := true
	for {
		n, err := io.ReadFull(f, buf)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return fmt.Errorf("read a staged payload: %w", err)
		}
		chunk := &wire.BlobChunk{Data: buf[:n], Last: last}
		if first {
			chunk.ID, chunk.Size, first = id, size, false
		}
		if err := send(chunk); err != nil || last {
			return err
		}
	}
}

func (c *Cluster) receive(st peer.Stream) error {
	epoch := c.epoch()
	w, err := c.store.Create()
	if err != nil {
		return err
	}
	defer w.Close()
	var id string
	for {
		var chunk wire.BlobChunk
		if err := st.Recv(&chunk); err != nil {
			return err
		}
		if chunk.ID != "" {
			id = chunk.ID
		}
		if _, err := w.Write(chunk.Data); err != nil {
			return err
		}
		if chunk.Last {
			break
		}
	}
	if id == "" {
		return errors.New("a staged payload came without its name")
	}
	if _, _, err := w.Commit(id, epoch); err != nil {
		return err
	}
	return st.Send(&wire.BlobStored{Epoch: epoch})
}

func (c *Cluster) send(st peer.Stream) error {
	var req wire.BlobRequest
	if err := st.Recv(&req); err != nil {
		return err
	}
	f, err := c.store.Open(req.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return wire.ErrNoBlob
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read a staged payload: %w", err)
	}
	return sendFile(f, req.ID, info.Size(), st.Send)
}
