package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"

	"shoal/node/peer"
	"shoal/wire"
)

// Open reads a blob from this node or from one that staged it. It skips a copy whose
// content does not match its name, and replaces one of this node's own. It returns
// wire.ErrNoBlob if every node that staged it has said that it has none, or has left the
// cluster. It returns wire.ErrUnavailable, naming the missing nodes, if one of them does
// not answer.
func (c *Cluster) Open(ctx context.Context, ref *wire.BlobRef) (io.ReadCloser, error) {
	f, err := c.store.Open(ref.ID)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	mend := errors.Is(err, errDamaged) || slices.Contains(ref.Nodes, c.self)
	var silent []string
	var errs []error
	for _, n := range ref.Nodes {
		if n == c.self {
			continue
		}
		r, err := c.fetch(ctx, n, ref.ID)
		if err == nil {
			if mend {
				return c.mend(ctx, n, r)
			}
			return r, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if name, member := c.member(n); member && !errors.Is(err, wire.ErrNoBlob) {
			silent, errs = append(silent, name), append(errs, err)
		}
	}
	if len(silent) == 0 {
		return nil, fmt.Errorf("payload %s: %w", ref.ID, wire.ErrNoBlob)
	}
	return nil, fmt.Errorf("a payload that is on %s, which cannot give it now: %w", strings.Join(silent, " and "), errors.Join(append(errs, wire.ErrUnavailable)...))
}

// mend replaces a missing copy of this node by another node's. If that fails, perhaps
// because the disk is full, the payload is read as it arrives.
func (c *Cluster) mend(ctx context.Context, from wire.NodeID, r *remoteBlob) (io.ReadCloser, error) {
	err := c.take(r)
	if err == nil {
		c.store.log.Info("a copy of a staged payload was fetched from another node", "payload", r.id, "node", from)
		return c.store.Open(r.id)
	}
	c.store.log.Warn("a copy of a staged payload was not replaced", "payload", r.id, "node", from, "error", err)
	return c.fetch(ctx, from, r.id)
}

// take stores a blob that is read from another node, and closes its reader.
func (c *Cluster) take(r *remoteBlob) (err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	epoch := c.epoch()
	w, err := c.store.Create()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	_, _, err = w.Commit(r.id, epoch)
	return err
}

func (c *Cluster) fetch(ctx context.Context, n wire.NodeID, id string) (*remoteBlob, error) {
	st, err := c.link.Open(ctx, n, methodGet)
	if err != nil {
		return nil, err
	}
	r := &remoteBlob{id: id, from: st, sum: sha256.New()}
	r.ChunkReader = peer.ChunkReader{Recv: st.Recv, Seen: r.check}
	if err := st.Send(&wire.BlobRequest{ID: id}); err != nil {
		st.Close()
		return nil, err
	}
	// The first chunk tells whether the node has the blob.
	if err := r.Next(); err != nil {
		st.Close()
		return nil, err
	}
	return r, nil
}

// remoteBlob reads a blob of another node as it arrives. A wrong hash is an error at its
// end.
type remoteBlob struct {
	peer.ChunkReader
	from *peer.ClientStream
	id   string
	sum  hash.Hash
}

func (r *remoteBlob) check(data []byte, last bool) error {
	r.sum.Write(data)
	if !last {
		return nil
	}
	if got := hex.EncodeToString(r.sum.Sum(nil)); got != r.id {
		return fmt.Errorf("a staged payload changed on its way: expected %s, received %s: %w", r.id, got, wire.ErrUnavailable)
	}
	return nil
}

func (r *remoteBlob) Close() error { r.from.Close(); return nil }
