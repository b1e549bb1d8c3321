package snapshot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/task"
	"shoal/wire"
)

// Shards reaches the replicas on all nodes, including this one.
type Shards interface {
	// FetchCopy opens a whole shard at the given version or a newer one.
	FetchCopy(ctx context.Context, from wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error)
	// Deliver sends the content from FetchCopy to a node, as a shard of an index, which may
	// have another number than the source.
	Deliver(ctx context.Context, to wire.NodeID, index uint32, content io.Reader) error
}

// Config configures a Taker.
type Config struct {
	Log    coordinator.Log
	Blobs  coordinator.Blobs
	Shards Shards
	Self   wire.NodeID
	// Path is the snapshot's file: <--snapshot-dir>/<name of the data folder>.snapshot. A
	// missing folder is created.
	Path string
	// Repository, if not nil, takes the snapshots instead of the file. Keep tells which ones it
	// keeps. Taken, if not nil, gets the outcome of each snapshot.
	Repository *repository.Repository
	Keep       repository.Policy
	Taken      func(Report)
	Now        func() time.Time // nil = time.Now
	Progress   *slog.Logger
}

// Taker takes snapshots on the leader. Its Snapshot is coordinator.Jobs.Snapshot.
type Taker struct {
	cfg Config
	// draft lists what Prepare sent. mu allows one Prepare or Snapshot at a time.
	mu    sync.Mutex
	draft *repository.Manifest
}

// NewTaker returns a Taker.
func NewTaker(cfg Config) *Taker {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Progress == nil {
		cfg.Progress = slog.Default()
	}
	if cfg.Taken == nil {
		cfg.Taken = func(Report) {}
	}
	return &Taker{cfg: cfg}
}

// catalogue is the record of everything but shards, tasks and batches.
type catalogue struct {
	Indexes   []*wire.Index `msgpack:"x"`
	Keys      []*wire.Key   `msgpack:"k"`
	Values    []wire.Value  `msgpack:"v"`
	Aliases   []*wire.Alias `msgpack:"al"`
	NextTask  uint64        `msgpack:"t"`
	NextBatch uint64        `msgpack:"b"`
}

// attempts bounds the attempts of a snapshot when replicas fail.
const attempts = 3

// Snapshot writes the file, replacing the former one, or adds a snapshot to the repository. The
// result appears completely or not at all. No batch may run meanwhile.
func (t *Taker) Snapshot(ctx context.Context) error {
	if t.cfg.Repository != nil {
		return t.deposited(ctx)
	}
	begun := t.cfg.Now()
	for n := 1; ; n++ {
		err := t.take(ctx, begun)
		if err == nil {
			t.cfg.Taken(Report{Taken: begun, Took: t.cfg.Now().Sub(begun)})
			t.cfg.Progress.Info("snapshot taken", "file", t.cfg.Path, "took", t.cfg.Now().Sub(begun))
			return nil
		}
		if n == attempts || ctx.Err() != nil || !errors.Is(err, wire.ErrUnavailable) {
			if ctx.Err() == nil {
				t.cfg.Taken(Report{Err: err, Taken: begun})
			}
			return refusal(err)
		}
		t.cfg.Progress.Warn("a replica failed during a snapshot; taking it again", "error", err)
	}
}

// output takes the streams of a snapshot.
type output interface {
	// Reuse reuses a stream of an earlier snapshot if it has the same source. On false the
	// caller must write the stream.
	Reuse(name, tag string) bool
	// Stream writes a stream with the content that fill writes. tag identifies the source; ""
	// for content that differs each time.
	Stream(name, tag string, fill func(out io.Writer) error) error
}

func (t *Taker) take(ctx context.Context, at time.Time) error {
	catalog := t.cfg.Log.Catalog()
	c, err := newContainer(t.cfg.Path, catalog.ClusterID(), at)
	if err != nil {
		return err
	}
	if err := t.write(ctx, c, catalog); err != nil {
		return errors.Join(fmt.Errorf("snapshot: %w", err), c.Discard())
	}
	return c.Finish()
}

func (t *Taker) write(ctx context.Context, c output, catalog coordinator.Catalog) error {
	record, err := t.record(catalog)
	if err != nil {
		return err
	}
	if err := c.Stream("catalogue", "", func(out io.Writer) error {
		data, err := wire.Marshal(record)
		if err == nil {
			_, err = out.Write(data)
		}
		return err
	}); err != nil {
		return err
	}
	if err := t.shards(ctx, c, record); err != nil {
		return err
	}
	if err := t.payloads(ctx, c); err != nil {
		return err
	}
	end := record.NextBatch
	if err := c.Stream("tasks", "", func(out io.Writer) (err error) {
		end, err = t.tasks(ctx, out, record)
		return err
	}); err != nil {
		return err
	}
	return c.Stream("batches", "", func(out io.Writer) error { return t.batches(ctx, out, end) })
}

func (t *Taker) shards(ctx context.Context, c output, record *catalogue) error {
	for _, x := range record.Indexes {
		for i := range x.Shards {
			if err := t.shard(ctx, c, x, &x.Shards[i]); err != nil {
				return fmt.Errorf("index %s: %w", x.UID, err)
			}
		}
	}
	return nil
}

func (t *Taker) record(c coordinator.Catalog) (*catalogue, error) {
	r := &catalogue{Indexes: c.Indexes(), Keys: c.Keys(), Aliases: c.Aliases()}
	for _, name := range restore.RestorableValues {
		if v, ok := c.Value(name); ok {
			r.Values = append(r.Values, v)
		}
	}
	if last, any := c.LastTask(); any {
		r.NextTask = uint64(last) + 1
	}
	page, _, err := t.cfg.Log.Batches(&wire.TaskQuery{Limit: 1})
	if err == nil && len(page) > 0 {
		r.NextBatch = uint64(page[0].UID) + 1
	}
	return r, err
}

// stored tells whether a shard holds anything that must be copied.
func stored(x *wire.Index, s *wire.Shard) bool { return x.Version > 0 && len(s.Deltas) > 0 }

func shardName(x *wire.Index, s *wire.Shard) string {
	return fmt.Sprintf("shards/%d-%d", x.ID, s.Number)
}

// shardTag identifies the content of a shard: in one cluster, shards with the same tag are
// equal byte by byte.
func shardTag(x *wire.Index, s *wire.Shard) string {
	d := &s.Deltas[len(s.Deltas)-1]
	return fmt.Sprintf("%d-%d/%d-%d/%d/%s", x.ID, s.Number, s.SlotLo, s.SlotHi, x.Version, d.ID)
}

// shard copies one shard from the first replica that can be opened, trying this node first.
func (t *Taker) shard(ctx context.Context, c output, x *wire.Index, s *wire.Shard) (err error) {
	if !stored(x, s) || c.Reuse(shardName(x, s), shardTag(x, s)) {
		return nil
	}
	var in io.ReadCloser
	last := wire.ErrUnavailable
	for _, local := range []bool{true, false} {
		for _, r := range s.Replicas {
			if in != nil || r.State != wire.InSync || (r.Node == t.cfg.Self) != local {
				continue
			}
			if in, err = t.cfg.Shards.FetchCopy(ctx, r.Node, wire.ShardKey{IndexID: x.ID, Shard: s.Number}, x.Version); err != nil {
				in, last = nil, err
			}
		}
	}
	if in == nil {
		return last
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return c.Stream(shardName(x, s), shardTag(x, s), func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	})
}

// payloads copies the payloads of unfinished tasks that are not in the log.
func (t *Taker) payloads(ctx context.Context, c output) error {
	for _, p := range t.cfg.Log.Pending() {
		if p.Payload.Blob == nil || left(p) {
			continue
		}
		if err := c.Stream(fmt.Sprintf("payloads/%d", p.UID), "", func(out io.Writer) (err error) {
			in, err := t.cfg.Blobs.Open(ctx, p.Payload.Blob)
			if errors.Is(err, wire.ErrNoBlob) {
				// An empty stream marks the loss, since no payload is empty. The task fails
				// when it runs.
				t.cfg.Progress.Warn("the payload of a task is lost and not in the snapshot", "task", p.UID)
				return nil
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, in.Close()) }()
			_, err = io.Copy(out, in)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// left tells whether to leave out a task: the snapshot's own tasks would run again.
func left(t *wire.Task) bool { return t.Kind == task.SnapshotCreation && t.Status <= wire.Processing }

// recordsAtOnce is the number of tasks or batches per read.
const recordsAtOnce = 512

// tasks writes the tasks of the record. Cancelations run meanwhile: a task that is read as
// canceled brings along the task that canceled it. Other newer tasks are left out, because
// their payloads were not copied. batches is the end of the batches of all written tasks.
func (t *Taker) tasks(ctx context.Context, out io.Writer, record *catalogue) (batches uint64, err error) {
	batches = record.NextBatch
	cancelers, last := map[uint32]bool{}, uint32(0)
	from := uint32(0)
	for ctx.Err() == nil {
		page, _, err := t.cfg.Log.Tasks(&wire.TaskQuery{From: &from, Limit: recordsAtOnce, Reverse: true})
		if err != nil || len(page) == 0 {
			return batches, err
		}
		for _, p := range page {
			newer := uint64(p.UID) >= record.NextTask
			if newer && p.UID > last {
				return batches, nil
			}
			if left(p) || newer && !cancelers[p.UID] {
				continue
			}
			if p.CanceledBy != nil {
				cancelers[*p.CanceledBy], last = true, max(last, *p.CanceledBy)
			}
			if p.Batch != nil {
				batches = max(batches, uint64(*p.Batch)+1)
			}
			if err := writeRecord(out, p); err != nil {
				return batches, err
			}
		}
		if from = page[len(page)-1].UID + 1; from == 0 {
			return batches, nil
		}
	}
	return batches, ctx.Err()
}

// batches writes the finished batches below end, which are those of the written tasks.
func (t *Taker) batches(ctx context.Context, out io.Writer, end uint64) error {
	from := uint32(0)
	for ctx.Err() == nil {
		page, _, err := t.cfg.Log.Batches(&wire.TaskQuery{From: &from, Limit: recordsAtOnce, Reverse: true})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, b := range page {
			if uint64(b.UID) >= end {
				return nil
			}
			if b.FinishedAt == 0 {
				continue // the batch of this snapshot
			}
			if err := writeRecord(out, b); err != nil {
				return err
			}
		}
		if from = page[len(page)-1].UID + 1; from == 0 {
			return nil
		}
	}
	return ctx.Err()
}

func writeRecord(out io.Writer, v any) error {
	data, err := wire.Marshal(v)
	if err != nil {
		return err
	}
	_, err = out.Write(append(binary.AppendUvarint(nil, uint64(len(data))), data...))
	return err
}
