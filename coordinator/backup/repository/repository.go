package repository

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"shoal/coordinator/backup/bucket"
)

// atOnce bounds the concurrent transfers of chunks.
const atOnce = 16

// Repository is the set of snapshots in a bucket. Safe for concurrent use.
type Repository struct{ bucket bucket.Bucket }

// Open returns the repository in a bucket. It reads nothing yet.
func Open(b bucket.Bucket) *Repository { return &Repository{b} }

// String returns the place of the bucket.
func (r *Repository) String() string { return r.bucket.String() }

// Snapshots lists the snapshots of all clusters, oldest first.
func (r *Repository) Snapshots(ctx context.Context) ([]Entry, error) {
	return r.entries(ctx, folderSnapshots)
}

func (r *Repository) entries(ctx context.Context, folder string) (list []Entry, err error) {
	for o, err := range r.bucket.List(ctx, folder) {
		if err != nil {
			return nil, err
		}
		if e, ok := parseName(strings.TrimPrefix(o.Name, folder)); ok {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Newest returns the newest snapshot that wanted accepts (nil accepts all), or
// bucket.ErrNotFound.
func (r *Repository) Newest(ctx context.Context, wanted func(Entry) bool) (Entry, error) {
	list, err := r.Snapshots(ctx)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range slices.Backward(list) {
		if wanted == nil || wanted(e) {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("%s holds no snapshot: %w", r, bucket.ErrNotFound)
}

// Read returns the manifest of a snapshot. Errors: those of the bucket, ErrDamaged.
func (r *Repository) Read(ctx context.Context, name string) (*Manifest, error) {
	return r.manifest(ctx, folderSnapshots+name)
}

func (r *Repository) manifest(ctx context.Context, object string) (*Manifest, error) {
	content, err := r.bucket.Get(ctx, object, maxManifest)
	if err != nil {
		return nil, err
	}
	m, err := decodeManifest(content)
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", object, r, err)
	}
	return m, nil
}

// Verify reads every chunk of a snapshot and checks it against its hash.
func (r *Repository) Verify(ctx context.Context, m *Manifest) error {
	seen := map[Hash]bool{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, s := range m.Streams {
		for _, h := range s.Chunks {
			if seen[h] || ctx.Err() != nil {
				continue
			}
			seen[h] = true
			g.Go(func() error {
				_, err := fetch(ctx, r.bucket, h)
				return err
			})
		}
	}
	return g.Wait()
}

// Walk calls visit with every stream, in order. Content that visit does not read is not
// fetched. The reader is valid during the call.
func (r *Repository) Walk(ctx context.Context, m *Manifest, visit func(name string, content io.Reader) error) error {
	for i := range m.Streams {
		s := &m.Streams[i]
		content := &reader{ctx: ctx, bucket: r.bucket, chunks: s.Chunks}
		err := visit(s.Name, content)
		content.stop()
		if err == nil && content.read && content.bytes != s.Bytes && errors.Is(content.err, io.EOF) {
			err = damaged("%s has %d bytes instead of %d", s.Name, content.bytes, s.Bytes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reader reads one stream. Once reading begins, it fetches chunks ahead.
type reader struct {
	ctx    context.Context
	bucket bucket.Bucket
	chunks []Hash
	ahead  chan chan fetched
	cancel context.CancelFunc
	done   chan struct{}
	rest   []byte
	bytes  int64
	read   bool
	err    error
}

type fetched struct {
	chunk []byte
	err   error
}

// start begins to fetch, in the stream's order.
func (r *reader) start() {
	ctx, cancel := context.WithCancel(r.ctx)
	r.read, r.cancel = true, cancel
	r.ahead, r.done = make(chan chan fetched, atOnce), make(chan struct{})
	go func() { // ends with the last chunk or with stop, which waits for it
		defer close(r.done)
		defer close(r.ahead)
		g := errgroup.Group{}
		g.SetLimit(atOnce)
		for _, h := range r.chunks {
			one := make(chan fetched, 1)
			select {
			case r.ahead <- one:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				break
			}
			g.Go(func() error {
				chunk, err := fetch(ctx, r.bucket, h)
				one <- fetched{chunk, err}
				return err
			})
		}
		_ = g.Wait() // the consumers of the channels get the errors
	}()
}

func (r *reader) stop() {
	if r.read {
		r.cancel()
		<-r.done
	}
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if !r.read {
		r.start()
	}
	for len(r.rest) == 0 && r.err == nil {
		one, ok := <-r.ahead
		if !ok {
			if r.err = r.ctx.Err(); r.err == nil {
				r.err = io.EOF
			}
			break
		}
		select {
		case f := <-one:
			r.rest, r.err = f.chunk, f.err
		case <-r.ctx.Done():
			r.err = r.ctx.Err()
		}
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	r.bytes += int64(n)
	return n, nil
}
