package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// pair are two shards of a node whose tables share one file, with a copy of each.
type pair struct {
	t      *testing.T
	fs     vfs.FS
	host   *Host
	copies map[wire.ShardKey]string

	mu    sync.Mutex // the host asks from its own goroutines
	index map[wire.ShardKey]*wire.Index
}

// show sets the state of an index that the host sees from now on. The caller must not
// change x afterwards.
func (p *pair) show(key wire.ShardKey, x *wire.Index) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index[key] = x
}

// indexes lists the indexes that the host sees.
func (p *pair) indexes() []*wire.Index {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.index))
}

var first, beside = wire.ShardKey{IndexID: 5}, wire.ShardKey{IndexID: 9, Shard: 1}

// newPair fills both shards. The second one has a copy on another node if elsewhere.
func newPair(t *testing.T, elsewhere bool) *pair {
	t.Helper()
	p := &pair{t: t, fs: vfs.NewMem(), index: map[wire.ShardKey]*wire.Index{}, copies: map[wire.ShardKey]string{}}
	both := []wire.Replica{{Node: "n1", State: wire.InSync}, {Node: "n2", State: wire.InSync}}
	p.open()
	for _, key := range []wire.ShardKey{first, beside} {
		x := &wire.Index{ID: key.IndexID, Shards: []wire.Shard{{Number: key.Shard, SlotHi: wire.Slots, Replicas: both}}}
		if key == beside && !elsewhere {
			x.Shards[0].Replicas = both[:1]
		}
		p.show(key, x)
		var docs []string
		for i := range 2000 {
			docs = append(docs, fmt.Sprintf(`{"id":%d,"a":"word%d and some others"}`, i, i))
		}
		w := newWorld(t, p.host)
		w.fields = []string{"id", "a"}
		req := w.request([]wire.Op{add(t, docs...)})
		req.Key = key
		if reply, err := p.host.Build(t.Context(), req); err != nil || reply.Err != nil {
			t.Fatalf("build: %v %+v", err, reply)
		}
		shards := slices.Clone(x.Shards)
		shards[0].Deltas = []wire.Delta{{Version: 1, ID: req.DeltaID}}
		x = &wire.Index{ID: x.ID, Version: 1, Shards: shards}
		p.show(key, x)
		if missing, err := p.host.Publish(x, key.Shard); err != nil || len(missing) > 0 {
			t.Fatalf("publish: %v %v", missing, err)
		}
		var b bytes.Buffer
		if _, err := p.host.SendCopy(t.Context(), key, 1, &b); err != nil {
			t.Fatal(err)
		}
		p.copies[key] = b.String()
	}
	if err := p.host.store.DB.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := p.host.store.DB.Compact(t.Context(), []byte{0}, []byte{0xff}, false); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pair) open() {
	p.host = openHost(p.t, p.fs, func(o *Options) {
		o.Index = func(id uint32) (*wire.Index, bool) {
			for _, x := range p.indexes() {
				if x.ID == id {
					return x, true
				}
			}
			return nil, false
		}
		o.Indexes = p.indexes
	})
}

// harm flips a bit of the file and has it found. A negative position counts from the
// end.
func (p *pair) harm(at int64) {
	p.t.Helper()
	files, err := p.host.store.TableFiles()
	if err != nil || len(files) != 1 {
		p.t.Fatalf("files %v %v", files, err)
	}
	if err := p.host.Close(); err != nil {
		p.t.Fatal(err)
	}
	if at < 0 {
		info, err := p.fs.Stat(files[0].Path)
		if err != nil {
			p.t.Fatal(err)
		}
		at += info.Size()
	}
	flip(p.t, p.fs, files[0].Path, at)
	p.open()
	p.scrub()
}

func (p *pair) scrub() { (&world{t: p.t, host: p.host}).scrub() }

// documents counts the readable documents of a shard.
func (p *pair) documents(key wire.ShardKey) (n int, err error) {
	p.t.Helper()
	v, err := p.host.View(context.Background(), &wire.PinnedIndex{Key: key, Version: 1, DeltaID: p.index[key].Shards[0].Deltas[0].ID})
	if err != nil {
		return 0, err
	}
	docs := v.OpenDocuments()
	for ord := uint32(0); ord < 2000 && err == nil; ord++ {
		var ok bool
		if _, _, ok, err = docs.Read(ord); ok && err == nil {
			n++
		}
	}
	docs.Close()
	return n, errors.Join(p.host.faults.Translate(err, key), v.Close())
}

func (p *pair) damaged() (keys []wire.ShardKey) {
	all := p.host.Damaged()
	for _, d := range all {
		keys = append(keys, d.Key)
	}
	return keys
}

func (p *pair) receive(key wire.ShardKey) error {
	_, err := p.host.Receive(strings.NewReader(p.copies[key]))
	return err
}

// A damaged shard is cut out of a file. Another shard in the file stays, though it has
// no other copy.
func TestADamagedShardIsCutOutOfAFileThatHoldsAnother(t *testing.T) {
	p := newPair(t, false)
	p.harm(500)
	if got := fmt.Sprint(p.damaged()); got != fmt.Sprint([]wire.ShardKey{first}) {
		t.Fatalf("damaged: %s", got)
	}
	if n, err := p.documents(beside); n != 2000 || err != nil {
		t.Errorf("beside the damage: %d documents, %v", n, err)
	}
	if err := p.receive(first); err != nil {
		t.Fatal(err)
	}
	p.scrub()
	for _, key := range []wire.ShardKey{first, beside} {
		if n, err := p.documents(key); n != 2000 || err != nil {
			t.Errorf("shard %v after the copy: %d documents, %v", key, n, err)
		}
	}
	if got := p.damaged(); len(got) > 0 {
		t.Errorf("damaged after the copy: %v", got)
	}
	if err := p.host.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file that cannot be opened damages both shards. Both are replaced, one after the
// other.
func TestAFileThatCannotBeOpenedIsReplacedWithAllItsShards(t *testing.T) {
	p := newPair(t, true)
	p.harm(-1)
	if got := p.damaged(); len(got) != 2 {
		t.Fatalf("damaged: %v", got)
	}
	for _, key := range []wire.ShardKey{beside, first} {
		if err := p.receive(key); err != nil {
			t.Fatal(err)
		}
		if n, err := p.documents(key); n != 2000 || err != nil {
			t.Errorf("shard %v after its copy: %d documents, %v", key, n, err)
		}
	}
	if got := p.damaged(); len(got) > 0 {
		t.Errorf("damaged after the copies: %v", got)
	}
	p.scrub()
	if got := p.damaged(); len(got) > 0 {
		t.Errorf("damaged after another look: %v", got)
	}
	if err := p.host.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file with the only copy of a shard is never removed, even if it cannot be opened:
// somebody may still recover something from it.
func TestAFileWithTheOnlyCopyOfAShardIsKept(t *testing.T) {
	p := newPair(t, false)
	files, err := p.host.store.TableFiles()
	if err != nil {
		t.Fatal(err)
	}
	p.harm(-1)
	if err := p.receive(first); err == nil {
		t.Error("the file was cut though another shard is only there")
	}
	if _, err := p.documents(first); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("a shard that is elsewhere: %v", err)
	}
	if _, err := p.documents(beside); !errors.Is(err, wire.ErrDamaged) {
		t.Errorf("a shard that is nowhere else: %v", err)
	}
	if _, err := p.fs.Stat(files[0].Path); err != nil {
		t.Errorf("the damaged file: %v", err)
	}
	if err := p.host.Close(); err != nil {
		t.Fatal(err)
	}
}
