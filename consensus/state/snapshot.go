package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"
)

// A snapshot is a folder: "data", a pebble checkpoint (hard links to immutable
// files), and "meta.json", about 1 KiB. Taking one writes nothing but that file,
// however large the state is; the checkpoint is read only when a peer is so far
// behind that the log does not reach back to it.
const (
	snapshotsKept  = 2
	snapshotData   = "data"
	snapshotMeta   = "meta.json"
	snapshotTmp    = "tmp-"
	snapshotFormat = "snapshot-%020d-%020d-%020d" // term, index, number
)

// Snapshots is the raft.SnapshotStore.
type Snapshots struct {
	FS     vfs.FS
	dir    string
	Log    *slog.Logger
	number atomic.Uint64

	mu sync.Mutex // one change of the folder at a time
}

// snapshotRecord is the content of meta.json.
type snapshotRecord struct {
	raft.SnapshotMeta
	// Applied is the state machine's own index in the checkpoint.
	Applied uint64
}

// OpenSnapshots opens the folder of snapshots and removes what a crash left half
// done.
func OpenSnapshots(fs vfs.FS, dir string, log *slog.Logger) (*Snapshots, error) {
	s := &Snapshots{FS: fs, dir: dir, Log: log}
	if err := makeDir(fs, dir); err != nil {
		return nil, err
	}
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, snapshotTmp) {
			if err := fs.RemoveAll(fs.PathJoin(dir, name)); err != nil {
				return nil, err
			}
		}
	}
	records, err := s.Records()
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		var term, index, number uint64
		if _, err := fmt.Sscanf(r.ID, snapshotFormat, &term, &index, &number); err == nil {
			s.number.Store(max(s.number.Load(), number))
		}
	}
	return s, nil
}

// Tmp names a new temporary folder.
func (s *Snapshots) Tmp() string {
	return s.FS.PathJoin(s.dir, fmt.Sprintf("%s%d", snapshotTmp, s.number.Add(1)))
}

// Records lists the finished snapshots, newest first.
func (s *Snapshots) Records() ([]*snapshotRecord, error) {
	names, err := s.FS.List(s.dir)
	if err != nil {
		return nil, err
	}
	var list []*snapshotRecord
	for _, name := range names {
		if strings.HasPrefix(name, snapshotTmp) {
			continue
		}
		r, err := s.record(name)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *snapshotRecord) int {
		return -cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Term, b.Term), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

func (s *Snapshots) record(id string) (*snapshotRecord, error) {
	f, err := s.FS.Open(s.FS.PathJoin(s.dir, id, snapshotMeta))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	r := new(snapshotRecord)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", id, err)
	}
	return r, nil
}

// List implements raft.SnapshotStore.
func (s *Snapshots) List() ([]*raft.SnapshotMeta, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	records, err := s.Records()
	if err != nil {
		return nil, err
	}
	metas := make([]*raft.SnapshotMeta, len(records))
	for i, r := range records {
		metas[i] = &r.SnapshotMeta
	}
	return metas, nil
}

// Open implements raft.SnapshotStore: the checkpoint as a stream.
func (s *Snapshots) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.record(id)
	if err != nil {
		return nil, nil, err
	}
	a, err := OpenArchive(s.FS, s.FS.PathJoin(s.dir, id, snapshotData), r.Applied)
	if err != nil {
		return nil, nil, err
	}
	if a.Size != r.Size {
		return nil, nil, errors.Join(fmt.Errorf("snapshot %s has %d bytes instead of %d", id, a.Size, r.Size), a.Close())
	}
	return &r.SnapshotMeta, a, nil
}

// Create implements raft.SnapshotStore. The sink takes either a checkpoint (adopt)
// or the stream of one.
func (s *Snapshots) Create(version raft.SnapshotVersion, index, term uint64, configuration raft.Configuration,
	configurationIndex uint64, _ raft.Transport,
) (raft.SnapshotSink, error) {
	if version != 1 {
		return nil, fmt.Errorf("unsupported snapshot version %d", version)
	}
	k := &Sink{Store: s, dir: s.Tmp()}
	k.record.SnapshotMeta = raft.SnapshotMeta{
		Version: version, Index: index, Term: term,
		ID:            fmt.Sprintf(snapshotFormat, term, index, s.number.Add(1)),
		Configuration: configuration, ConfigurationIndex: configurationIndex,
	}
	if err := s.FS.MkdirAll(k.dir, 0o755); err != nil {
		return nil, err
	}
	return k, nil
}

// Sink receives one snapshot.
type Sink struct {
	Store  *Snapshots
	dir    string
	record snapshotRecord

	in       *io.PipeWriter // nil until the first Write
	unpacked chan error
	filled   bool
	done     bool // closed or canceled: raft and Persist both end a sink
}

func (k *Sink) ID() string { return k.record.ID }

func (k *Sink) data() string { return k.Store.FS.PathJoin(k.dir, snapshotData) }

// Adopt makes a checkpoint on the same file system the content.
func (k *Sink) Adopt(checkpoint string, applied uint64) error {
	if err := k.Store.FS.Rename(checkpoint, k.data()); err != nil {
		return err
	}
	k.record.Applied, k.filled = applied, true
	return nil
}

// Write takes the next part of a stream.
func (k *Sink) Write(p []byte) (int, error) {
	if k.in == nil {
		out, in := io.Pipe()
		k.in, k.unpacked = in, make(chan error, 1)
		go func() {
			applied, err := Unpack(k.Store.FS, k.data(), out)
			k.record.Applied = applied
			out.CloseWithError(err)
			k.unpacked <- err
		}()
	}
	return k.in.Write(p)
}

// Close finishes the snapshot: it exists afterwards, or not at all.
func (k *Sink) Close() error {
	if k.done {
		return nil
	}
	k.done = true
	err := k.wait()
	if err == nil && !k.filled {
		err = errors.New("a snapshot without content")
	}
	if err == nil {
		err = k.Store.finish(k)
	}
	if err != nil {
		return errors.Join(err, k.Store.FS.RemoveAll(k.dir))
	}
	return nil
}

// wait ends the stream, if there is one.
func (k *Sink) wait() error {
	if k.in == nil {
		return nil
	}
	err := k.in.Close()
	err = errors.Join(err, <-k.unpacked)
	k.in, k.filled = nil, err == nil
	return err
}

// Cancel drops the snapshot.
func (k *Sink) Cancel() error {
	if k.done {
		return nil
	}
	k.done = true
	if k.in != nil {
		err := k.in.CloseWithError(ErrArchive)
		<-k.unpacked
		k.in = nil
		return errors.Join(err, k.Store.FS.RemoveAll(k.dir))
	}
	return k.Store.FS.RemoveAll(k.dir)
}

// finish gives a filled sink its name and forgets the oldest snapshots.
func (s *Snapshots) finish(k *Sink) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := OpenArchive(s.FS, k.data(), k.record.Applied)
	if err != nil {
		return err
	}
	k.record.Size = a.Size
	if err := a.Close(); err != nil {
		return err
	}
	text, err := json.Marshal(&k.record)
	if err != nil {
		return err
	}
	if err := WriteFile(s.FS, s.FS.PathJoin(k.dir, snapshotMeta), text); err != nil {
		return err
	}
	if err := syncDir(s.FS, k.dir); err != nil {
		return err
	}
	if err := s.FS.Rename(k.dir, s.FS.PathJoin(s.dir, k.record.ID)); err != nil {
		return err
	}
	if err := syncDir(s.FS, s.dir); err != nil {
		return err
	}
	return s.prune()
}

// prune removes all but the newest snapshots. Each loses its name first, so that a
// crash never leaves half a snapshot under a good name.
func (s *Snapshots) prune() error {
	records, err := s.Records()
	if err != nil {
		return err
	}
	for _, r := range records[min(len(records), snapshotsKept):] {
		doomed := s.Tmp()
		if err := s.FS.Rename(s.FS.PathJoin(s.dir, r.ID), doomed); err != nil {
			return err
		}
		if err := syncDir(s.FS, s.dir); err != nil {
			return err
		}
		if err := s.FS.RemoveAll(doomed); err != nil {
			return err
		}
	}
	return nil
}
