package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/placement"
	"shoal/text/dictionary"
	"shoal/wire"
)

// RestoreConfig configures reading a snapshot. Placement must be the scheduler's.
type RestoreConfig struct {
	Log       coordinator.Log
	Blobs     coordinator.Blobs
	Shards    Shards
	Placement placement.Placement
	// Alive tells whether a node seems to answer; nil means that all do.
	Alive func(wire.NodeID) bool
	// Dictionaries are those of this node.
	Dictionaries dictionary.Set
	// Dir is a folder for temporary files.
	Dir      string
	Progress *slog.Logger
}

// Restore fills an empty cluster (else restore.ErrNotEmpty) from a snapshot, before it serves.
// The whole file is verified first: a damaged one (ErrDamaged) changes nothing. A later failure
// is undone. The number of nodes may differ from that of the snapshot's cluster: every shard
// goes to one node, from which its other holders copy it. Enqueued tasks begin to run when
// Restore returns.
func Restore(ctx context.Context, from Source, cfg RestoreConfig) error {
	if cfg.Progress == nil {
		cfg.Progress = slog.Default()
	}
	begun := time.Now()
	cfg.Progress.Info("verifying the snapshot", "from", from)
	taken, err := from.verify(ctx)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", from, err)
	}
	r := &restorer{RestoreConfig: cfg, destinations: map[string]destination{}, delivered: map[string]bool{}, payloads: payloads{}}
	if err := restore.RunNumbered(ctx, cfg.Log, cfg.Progress, func(s *restore.Session) error {
		r.Session = s
		if err := from.walk(ctx, func(name string, in io.Reader) error {
			if err := r.take(ctx, name, in); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}); err != nil {
			return err
		}
		return r.finish(ctx)
	}); err != nil {
		return fmt.Errorf("snapshot %s: %w", from, err)
	}
	cfg.Progress.Info("snapshot restored", "from", from, "taken", taken, "indexes", len(r.record.Indexes), "took", time.Since(begun))
	return nil
}

// destination is the first node of one shard of the snapshot.
type destination struct {
	index *wire.Index
	shard uint16
	to    wire.Replica
}

// restorer is one restoration.
type restorer struct {
	RestoreConfig
	*restore.Session
	record       catalogue
	destinations map[string]destination // by stream
	// delivered are the streams that an earlier attempt delivered.
	delivered map[string]bool
	payloads  payloads
	queue     bool // the queue is being replaced
}

// payloads are the payloads of unfinished tasks, by uid.
type payloads map[uint32]*wire.BlobRef

// take processes one stream. The file has them in the order in which they are needed.
func (r *restorer) take(ctx context.Context, name string, in io.Reader) error {
	kind, rest, _ := strings.Cut(name, "/")
	switch kind {
	case "catalogue":
		return r.catalogue(ctx, in)
	case "shards":
		return r.shard(ctx, name, in)
	case "payloads", "tasks", "batches":
		if !r.queue {
			r.queue = true
			if err := r.ClearQueue(ctx); err != nil {
				return err
			}
		}
	}
	switch kind {
	case "payloads":
		return r.payload(ctx, rest, in)
	case "tasks":
		if err := records(in, func(t *wire.Task) error { return r.task(ctx, t) }); err != nil {
			return err
		}
		return r.Flush(ctx)
	case "batches":
		if err := records(in, func(b *wire.Batch) error { return r.Batch(ctx, b) }); err != nil {
			return err
		}
		r.Numbers(r.record.NextTask, r.record.NextBatch)
		return r.Flush(ctx)
	}
	return nil
}

// catalogue creates the indexes under their numbers. Their shards are still empty, so no
// replica counts as in sync. It continues with indexes that an interrupted attempt created from
// the same snapshot, because the log assigns each number once.
func (r *restorer) catalogue(ctx context.Context, in io.Reader) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if err := wire.Unmarshal(data, &r.record); err != nil {
		return damaged("%w", err)
	}
	if err := r.words(ctx, r.record.Indexes); err != nil {
		return err
	}
	if err := r.known(ctx, &r.record); err != nil {
		return err
	}
	// The log refuses a number below one that it has already assigned.
	slices.SortFunc(r.record.Indexes, func(a, b *wire.Index) int { return int(int64(a.ID) - int64(b.ID)) })
	for _, x := range r.record.Indexes {
		next := restore.ReplacedIndex(r.Placement, r.Log.Catalog(), x)
		begun, found := r.Log.Catalog().IndexByID(x.ID)
		switch {
		case found && sameContent(begun, next):
			next = begun.Clone()
		case found:
			return fmt.Errorf("index %s: an interrupted import of another snapshot holds its place: start all nodes with empty folders", x.UID)
		default:
			if err := r.Update(ctx, wire.Change{PutIndex: next}); err != nil {
				return fmt.Errorf("index %s: %w", x.UID, err)
			}
		}
		if err := r.assign(next); err != nil {
			return err
		}
	}
	return nil
}

// assign chooses the first node of each shard of an index.
func (r *restorer) assign(x *wire.Index) error {
	for i := range x.Shards {
		s := &x.Shards[i]
		switch {
		case !stored(x, s):
		case len(s.Replicas) == 0:
			return fmt.Errorf("index %s: no node can hold data", x.UID)
		case slices.ContainsFunc(s.Replicas, func(c wire.Replica) bool { return c.State == wire.InSync }):
			r.delivered[shardName(x, s)] = true
		default:
			r.destinations[shardName(x, s)] = destination{x, s.Number, r.first(s)}
		}
	}
	return nil
}

// first returns the replica of a shard that gets its content first: one that answers.
func (r *restorer) first(s *wire.Shard) wire.Replica {
	for _, c := range s.Replicas {
		if r.Alive == nil || r.Alive(c.Node) {
			return c
		}
	}
	return s.Replicas[0]
}

// sameContent tells whether two records are equal except for replicas and for what decides their
// number, which the balancer changes while an import is interrupted.
func sameContent(a, b *wire.Index) bool {
	bare := func(x *wire.Index) ([]byte, error) {
		x = x.Clone()
		x.Wide = false
		for i := range x.Shards {
			x.Shards[i].Replicas = nil
		}
		return wire.Marshal(x)
	}
	rawA, errA := bare(a)
	rawB, errB := bare(b)
	return errA == nil && errB == nil && bytes.Equal(rawA, rawB)
}

// shard delivers a shard to its first node.
func (r *restorer) shard(ctx context.Context, name string, in io.Reader) error {
	if r.delivered[name] {
		return nil
	}
	h, ok := r.destinations[name]
	if !ok {
		return damaged("a shard of no index")
	}
	if err := r.Shards.Deliver(ctx, h.to.Node, h.index.ID, in); err != nil {
		return err
	}
	h.to.State = wire.InSync
	delete(r.destinations, name)
	r.Progress.Info("shard restored", "index", h.index.UID, "shard", h.shard, "node", h.to.Node)
	return r.Update(ctx, wire.Change{PutReplica: &wire.ReplicaChange{IndexID: h.index.ID, Shard: h.shard, Replica: h.to}})
}

// lostPayload is the id of a payload that no node has.
const lostPayload = "lost"

// payload stages the payload of a task. Staging needs its size, so it is written to a temporary
// file first.
func (r *restorer) payload(ctx context.Context, number string, in io.Reader) (err error) {
	uid, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return damaged("%w", err)
	}
	f, err := os.CreateTemp(r.Dir, "payload-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	size, err := io.Copy(f, in)
	if err != nil {
		return err
	}
	if size == 0 { // lost when the snapshot was taken: the task must fail
		r.payloads[uint32(uid)] = &wire.BlobRef{ID: lostPayload}
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	ref, _, err := r.Blobs.Stage(ctx, f, size)
	r.payloads[uint32(uid)] = ref
	return err
}

func (r *restorer) task(ctx context.Context, t *wire.Task) error {
	if t.Payload.Blob != nil {
		t.Payload.Blob = r.payloads[t.UID]
		if t.Payload.Blob == nil && t.Status <= wire.Processing {
			return damaged("the payload of task %d is missing", t.UID)
		}
	}
	return r.Task(ctx, t)
}

// finish stores the rest of the catalogue.
func (r *restorer) finish(ctx context.Context) error {
	if !r.queue || len(r.destinations) > 0 {
		return damaged("it lacks %d shards or the queue", len(r.destinations))
	}
	var changes []wire.Change
	for i := range r.record.Values {
		changes = append(changes, wire.Change{PutValue: &r.record.Values[i]})
	}
	changes = append(changes, restore.AliasChanges(r.record.Aliases)...)
	return r.Finish(ctx, r.record.Keys, changes...)
}

// largestRecord bounds the length of a record.
const largestRecord = 64 << 20

// records calls visit with the records of a stream.
func records[T any](in io.Reader, visit func(*T) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var buf bytes.Buffer
	for {
		n, err := binary.ReadUvarint(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && n > min(largestRecord, math.MaxInt) {
			err = fmt.Errorf("a record of %d bytes", n)
		}
		if err != nil {
			return damaged("%w", err)
		}
		buf.Reset()
		if _, err := io.CopyN(&buf, r, int64(n)); err != nil {
			return damaged("%w", err)
		}
		v := new(T)
		if err := wire.Unmarshal(buf.Bytes(), v); err != nil {
			return damaged("%w", err)
		}
		if err := visit(v); err != nil {
			return err
		}
	}
}
