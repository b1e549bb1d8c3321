package shard

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/api/settings"
	"shoal/shard/extract"
	"shoal/shard/version"
	"shoal/wire"
	"shoal/wire/staged"
)

// debian stages the Debian packages of ../../shared. With copies > 1 it repeats them
// under other ids.
func debian(b *testing.B, copies int) (payload wire.Payload, current *settings.Settings, fields []string) {
	b.Helper()
	f, err := os.Open("../../shared/datasets/debian.ndjson.gz")
	if errors.Is(err, os.ErrNotExist) {
		b.Skip("the data set is not here")
	}
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(filepath.Join(b.TempDir(), "payload"))
	if err != nil {
		b.Fatal(err)
	}
	w, err := staged.NewWriter(file, "id", true)
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(zip)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		doc := lines.Bytes()
		var head struct{ ID json.RawMessage }
		if err := json.Unmarshal(doc, &head); err != nil {
			b.Fatal(err)
		}
		id := strings.Trim(string(head.ID), `"`)
		if err := extract.Members(doc, func(name string, _ []byte) {
			if !slices.Contains(fields, name) {
				fields = append(fields, strings.Clone(name))
			}
		}); err != nil {
			b.Fatal(err)
		}
		for c := range copies {
			if err := w.Append(fmt.Appendf(nil, "%s-%d", id, c), doc); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := errors.Join(lines.Err(), w.Close(), file.Close()); err != nil {
		b.Fatal(err)
	}
	current = settings.Default()
	current.SearchableAttributes = []string{"package", "summary", "description", "maintainer", "tags"}
	current.Filterable = plainRules("section", "priority", "installedSize", "depends", "tags", "maintainer", "homepage")
	current.Sortable = []string{"installedSize", "package", "section"}
	return wire.Payload{Blob: &wire.BlobRef{ID: file.Name()}}, current, fields
}

// benchCopies is the factor SHOAL_BENCH_COPIES of the data, 1 by default.
func benchCopies() int {
	n, err := strconv.Atoi(os.Getenv("SHOAL_BENCH_COPIES"))
	if err != nil {
		return 1
	}
	return n
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watchHeap samples the memory in use until stopped and returns the peak.
func watchHeap() (stop func() uint64) {
	done, result := make(chan struct{}), make(chan uint64)
	go func() {
		peak := uint64(0)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				result <- peak
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.Sys-m.HeapReleased)
			}
		}
	}()
	return func() uint64 {
		close(done)
		return <-result
	}
}

func benchHost(b *testing.B) *Host { return benchHostIn(b, b.TempDir()) }

func benchHostIn(b *testing.B, dir string) *Host {
	b.Helper()
	h, err := Open(Options{Dir: dir, FS: vfs.Default, Node: "n1", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		OpenPayload: func(_ context.Context, p *wire.Payload) (io.ReadCloser, error) { return os.Open(p.Blob.ID) },
	})
	if err != nil {
		b.Fatal(err)
	}
	return h
}

func (h *Host) benchBatch(b *testing.B, version uint64, s *settings.Settings, fields []string, ops ...wire.Op) *wire.BuildReply {
	b.Helper()
	req := &wire.BuildRequest{
		Key: testKey, UID: "debian", SlotHi: wire.Slots, Base: version, DeltaID: fmt.Sprintf("d%d", version),
		PrimaryKey: "id", Settings: marshalSettings(s), Fields: fields, OldSettings: marshalSettings(s), Ops: ops,
	}
	reply, err := h.Build(context.Background(), req)
	if err != nil || reply.Err != nil || len(reply.NewFields) > 0 {
		b.Fatalf("%v %+v", err, reply)
	}
	x := &wire.Index{ID: testKey.IndexID, Version: version + 1, Shards: []wire.Shard{{Number: testKey.Shard, Deltas: []wire.Delta{{Version: version + 1, ID: req.DeltaID}}}}}
	if missing, err := h.Publish(x, testKey.Shard); err != nil || len(missing) > 0 {
		b.Fatal(err, missing)
	}
	return reply
}

// BenchmarkDebian imports the Debian packages. It reports the CPU time with drained
// compactions, peak memory and disk space.
func BenchmarkDebian(b *testing.B) {
	payload, settings, fields := debian(b, benchCopies())
	for b.Loop() {
		h := benchHost(b)
		runtime.GC()
		stop := watchHeap()
		start := cpuTime()
		reply := h.benchBatch(b, 0, settings, fields, wire.Op{Kind: wire.OpReplace, Payload: payload})
		built := cpuTime() - start
		h.drain(b)
		b.ReportMetric(built.Seconds(), "cpu-s/build")
		b.ReportMetric((cpuTime() - start).Seconds(), "cpu-s/all")
		b.ReportMetric(float64(stop())/(1<<20), "peak-MiB")
		b.ReportMetric(float64(h.DiskBytes())/(1<<20), "disk-MiB")
		b.ReportMetric(float64(reply.Stats.Documents), "documents")
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// drain waits until the store has nothing left to compact.
func (h *Host) drain(b *testing.B) {
	b.Helper()
	if err := h.store.DB.Flush(); err != nil {
		b.Fatal(err)
	}
	for h.store.DB.Metrics().Compact.NumInProgress > 0 {
		time.Sleep(5 * time.Millisecond)
	}
}

// BenchmarkOneDocument replaces documents one by one in an index of 63,440 documents
// (507,520 with SHOAL_BENCH_COPIES=8).
func BenchmarkOneDocument(b *testing.B) {
	payload, settings, fields := debian(b, benchCopies())
	h := benchHost(b)
	h.benchBatch(b, 0, settings, fields, wire.Op{Kind: wire.OpReplace, Payload: payload})
	var docs []string
	for i := range 1000 {
		docs = append(docs, fmt.Sprintf(`{"id":"new-%d","package":"libnew%d","summary":"a library for testing number %d","description":"This package has the files that are needed to run programs which were linked against the library, and %d more words","section":"libs","installedSize":%d,"tags":["role::shared-lib"]}`, i%300, i, i, i, i))
	}
	version := uint64(1)
	start := cpuTime()
	n := 0
	for b.Loop() {
		h.benchBatch(b, version, settings, fields, wire.Op{Kind: wire.OpReplace, Payload: benchPayload(b, docs[n%len(docs)], n%300)})
		version++
		n++
	}
	b.ReportMetric(float64((cpuTime()-start).Microseconds())/float64(n), "cpu-us/batch")
	if err := h.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchPayload(b *testing.B, doc string, i int) wire.Payload {
	b.Helper()
	var buf bytes.Buffer
	w, err := staged.NewWriter(&buf, "id", true)
	if err == nil {
		err = errors.Join(w.Append(fmt.Appendf(nil, "new-%d", i), []byte(doc)), w.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
	return wire.Payload{Inline: buf.Bytes()}
}

// BenchmarkInstall installs batches of 5,000 documents, half of them new, in an index
// of 63,440 documents. Concurrent searches wait for an install.
func BenchmarkInstall(b *testing.B) {
	payload, settings, fields := debian(b, benchCopies())
	h := benchHost(b)
	h.benchBatch(b, 0, settings, fields, wire.Op{Kind: wire.OpReplace, Payload: payload})
	h.drain(b)
	whole, err := os.ReadFile(payload.Blob.ID)
	if err != nil {
		b.Fatal(err)
	}
	version := uint64(1)
	var took, cpu, longest time.Duration
	for b.Loop() {
		req := &wire.BuildRequest{
			Key: testKey, UID: "debian", SlotHi: wire.Slots, Base: version, DeltaID: fmt.Sprintf("d%d", version),
			PrimaryKey: "id", Settings: marshalSettings(settings), Fields: fields, OldSettings: marshalSettings(settings),
			Ops: []wire.Op{{Kind: wire.OpReplace, Payload: benchPart(b, whole, 5000, int(version))}},
		}
		if reply, err := h.Build(b.Context(), req); err != nil || reply.Err != nil {
			b.Fatal(err, reply)
		}
		version++
		x := &wire.Index{ID: testKey.IndexID, Version: version, Shards: []wire.Shard{{Number: testKey.Shard, Deltas: []wire.Delta{{Version: version, ID: req.DeltaID}}}}}
		start, used := time.Now(), cpuTime()
		if missing, err := h.Publish(x, testKey.Shard); err != nil || len(missing) > 0 {
			b.Fatal(err, missing)
		}
		took, cpu, longest = took+time.Since(start), cpu+cpuTime()-used, max(longest, time.Since(start))
	}
	n := float64(version - 1)
	b.ReportMetric(took.Seconds()*1000/n, "ms/install")
	b.ReportMetric(cpu.Seconds()*1000/n, "cpu-ms/install")
	b.ReportMetric(longest.Seconds()*1000, "ms-longest")
	if err := h.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFresh reads the records of a batch of 5,000 documents from memory and from
// the store. Every search does this until the documents have columns.
func BenchmarkFresh(b *testing.B) {
	payload, settings, fields := debian(b, benchCopies())
	whole, err := os.ReadFile(payload.Blob.ID)
	if err != nil {
		b.Fatal(err)
	}
	for name, least := range map[string]int{"memory": 1, "store": 1 << 31} {
		b.Run(name, func(b *testing.B) {
			defer func(least int) { version.FreshLeast = least }(version.FreshLeast)
			version.FreshLeast = least
			h := benchHost(b)
			h.benchBatch(b, 0, settings, fields, wire.Op{Kind: wire.OpReplace, Payload: payload})
			r, err := h.replicas.loaded(testKey)
			if err != nil {
				b.Fatal(err)
			}
			before := r.current
			if !before.Acquire() {
				b.Fatal("no version")
			}
			h.benchBatch(b, 1, settings, fields, wire.Op{Kind: wire.OpReplace, Payload: benchPart(b, whole, 5000, 1)})
			h.drain(b)
			core := r.current
			change, ok := core.Since(before)
			if before.Release(); !ok {
				b.Fatal("what changed is not known")
			}
			set := change.Docs
			n := 0
			for b.Loop() {
				tokens := core.Tokens()
				n = 0
				for ord := range set.All() {
					if _, _, err := tokens.Read(ord); err != nil {
						b.Fatal(err)
					}
					n++
				}
				if err := tokens.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n)/float64(b.N), "us/record")
			b.ReportMetric(float64(n), "records")
			if err := h.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// benchPart stages n documents of a payload. Half of them get new ids.
func benchPart(b *testing.B, whole []byte, n, turn int) wire.Payload {
	b.Helper()
	r, err := staged.NewReader(bytes.NewReader(whole))
	if err != nil {
		b.Fatal(err)
	}
	var buf bytes.Buffer
	w, err := staged.NewWriter(&buf, "id", true)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < n; {
		frame, _, err := r.Next()
		if err != nil {
			b.Fatal(err)
		}
		if xxhash.Sum64(frame.ID)%8 != uint64(turn%8) {
			continue
		}
		id := frame.ID
		if i%2 == 0 {
			id = fmt.Appendf(nil, "%s-%d", id, turn)
		}
		if err := w.Append(id, frame.Document); err != nil {
			b.Fatal(err)
		}
		i++
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return wire.Payload{Inline: buf.Bytes()}
}
