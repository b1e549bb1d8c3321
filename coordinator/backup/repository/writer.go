package repository

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/PlakarKorp/go-cdc-chunkers"
	"golang.org/x/sync/errgroup"

	"shoal/coordinator/backup/bucket"
)

// Writer writes one snapshot. Not safe for concurrent use. Finish or Stop ends it.
type Writer struct {
	r        *Repository
	manifest Manifest
	// known are chunks in the bucket: those of base, and those already sent.
	known map[Hash]bool
	base  map[string]*Stream // streams that may be reused, by name
	sends *errgroup.Group
	ctx   context.Context // ends with the first send that fails
	sent  atomic.Int64    // bytes of objects
}

// Basis tells on what a Writer may rely, besides the newest snapshots.
type Basis struct {
	// Draft lists what an earlier Writer of this process sent without finishing, or is nil.
	Draft *Manifest
	// Nothing: do not rely on the newest snapshots either, send everything.
	Nothing bool
}

// Begin starts a snapshot. It relies on the newest snapshot of the cluster, the newest one of
// any cluster, and on basis.
func (r *Repository) Begin(ctx context.Context, cluster string, at time.Time, basis Basis) (*Writer, error) {
	w := &Writer{
		r: r, manifest: Manifest{Format: format, Cluster: cluster, Taken: at.UTC()},
		known: map[Hash]bool{}, base: map[string]*Stream{},
	}
	w.sends, w.ctx = errgroup.WithContext(ctx)
	w.sends.SetLimit(atOnce)
	if basis.Nothing {
		return w, nil
	}
	list, err := r.Snapshots(ctx)
	if err != nil {
		return nil, err
	}
	var mine, any string
	for _, e := range list {
		any = e.Name
		if e.Cluster == cluster {
			mine = e.Name
		}
	}
	for _, name := range slices.Compact([]string{any, mine}) {
		if name == "" {
			continue
		}
		m, err := r.Read(ctx, name)
		switch {
		case errors.Is(err, bucket.ErrNotFound), errors.Is(err, ErrDamaged):
			continue // dropped or useless: more is sent
		case err != nil:
			return nil, err
		}
		w.relyOn(m, m.Cluster == cluster)
	}
	if d := basis.Draft; d != nil && d.Cluster == cluster {
		w.relyOn(d, true)
	}
	return w, nil
}

// relyOn records the chunks of a manifest as known.
func (w *Writer) relyOn(m *Manifest, own bool) {
	for i := range m.Streams {
		s := &m.Streams[i]
		if own && s.Tag != "" {
			w.base[s.Name] = s
		}
		for _, h := range s.Chunks {
			w.known[h] = true
		}
	}
}

// Reuse reuses a stream of an earlier snapshot if it has the same source. On false the caller
// must write the stream.
func (w *Writer) Reuse(name, tag string) bool {
	s := w.base[name]
	if s == nil || tag == "" || s.Tag != tag {
		return false
	}
	w.add(*s)
	return true
}

func (w *Writer) add(s Stream) {
	w.manifest.Streams = append(w.manifest.Streams, s)
	w.manifest.Bytes += s.Bytes
}

// Stream writes one stream with the content that fill writes. Only chunks that the bucket lacks
// are sent.
func (w *Writer) Stream(name, tag string, fill func(io.Writer) error) error {
	out, in := io.Pipe()
	filled := make(chan error, 1)
	go func() { // ends with fill, at the latest when a write finds out closed
		err := fill(in)
		filled <- err
		_ = in.CloseWithError(err)
	}()
	s := Stream{Name: name, Tag: tag}
	err := w.cut(out, &s)
	_ = out.CloseWithError(err)
	if fillErr := <-filled; fillErr != nil && (err == nil || errors.Is(err, fillErr)) {
		err = fillErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.add(s)
	return nil
}

// cut cuts a stream into chunks and sends the new ones.
func (w *Writer) cut(in io.Reader, s *Stream) error {
	c, err := chunkers.NewChunker("fastcdc-v1.0.0", in, cuts())
	if err != nil {
		return err
	}
	for {
		chunk, err := c.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(chunk) > 0 {
			h := Hash(sha256.Sum256(chunk))
			s.Chunks = append(s.Chunks, h)
			s.Bytes += int64(len(chunk))
			if !w.known[h] {
				w.known[h] = true
				w.send(h, slices.Clone(chunk))
			}
		}
		if w.ctx.Err() != nil {
			if err := w.sends.Wait(); err != nil {
				return err
			}
			return w.ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

func (w *Writer) send(h Hash, chunk []byte) {
	w.sends.Go(func() error {
		object, err := pack(chunk)
		if err == nil {
			err = w.r.bucket.Put(w.ctx, h.object(), object)
		}
		if err == nil {
			w.sent.Add(int64(len(object)))
		}
		return err
	})
}

// awaitSends waits for the transfers under way.
func (w *Writer) awaitSends() error {
	err := w.sends.Wait()
	w.manifest.Sent = w.sent.Load()
	return err
}

// Stop ends a snapshot without creating it. It waits for the transfers under way and returns
// what was written, for a later Begin.
func (w *Writer) Stop() (*Manifest, error) {
	err := w.awaitSends()
	return &w.manifest, err
}

// ErrLost: a chunk that the Writer relied on is gone. Begin again with Basis.Nothing.
var ErrLost = errors.New("chunks that earlier snapshots name are gone")

// Finish creates the snapshot and returns its manifest and name. First it checks that the
// bucket has every chunk, because one may have been deleted.
func (w *Writer) Finish(ctx context.Context) (*Manifest, string, error) {
	if err := w.awaitSends(); err != nil {
		return nil, "", err
	}
	missing := map[Hash]bool{}
	for _, s := range w.manifest.Streams {
		for _, h := range s.Chunks {
			missing[h] = true
		}
	}
	for o, err := range w.r.bucket.List(ctx, FolderChunks) {
		if err != nil {
			return nil, "", err
		}
		if h, ok := hashOf(o.Name); ok {
			delete(missing, h)
		}
	}
	if len(missing) > 0 {
		return nil, "", fmt.Errorf("%s: %d %w", w.r, len(missing), ErrLost)
	}
	content, err := w.manifest.encode()
	if err != nil {
		return nil, "", err
	}
	w.manifest.Sent += int64(len(content))
	name := nameOf(w.manifest.Cluster, w.manifest.Taken)
	if err := w.r.bucket.Put(ctx, folderSnapshots+name, content); err != nil {
		return nil, "", err
	}
	return &w.manifest, name, nil
}
