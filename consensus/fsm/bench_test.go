package fsm

import (
	"runtime"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/state"
	"shoal/wire"
)

// filled is a machine with n finished tasks in batches of one.
func filled(b *testing.B, n int) *FSM {
	f := openTestFSM(b, vfs.NewMem())
	add := addTask("movies")
	add.Enqueue.Task.Details = []byte(`{"receivedDocuments":1,"indexedDocuments":null}`)
	enqueue, err := entry.Encode(add, wire.Version)
	if err != nil {
		b.Fatal(err)
	}
	index := uint64(0)
	var logs []*raft.Log
	give := func(body []byte) {
		index++
		logs = append(logs, &raft.Log{Index: index, Term: 1, Type: raft.LogCommand, Data: entry.Stamp(int64(index), 0, body, false)})
	}
	for uid := range uint32(n) {
		end := finish(1, uid)
		end.Commit[0].Results[0].Details = []byte(`{"receivedDocuments":1,"indexedDocuments":1}`)
		commit, err := entry.Encode(end, wire.Version)
		if err != nil {
			b.Fatal(err)
		}
		give(enqueue)
		give(commit)
		if len(logs) >= 128 || uid == uint32(n)-1 {
			f.ApplyBatch(logs)
			logs = logs[:0]
		}
	}
	return f
}

// One operation is two entries: a task accepted and finished.
func BenchmarkApply(b *testing.B) {
	b.ReportAllocs()
	f := filled(b, b.N)
	b.StopTimer()
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	const tasks = 200_000
	f := filled(b, tasks)
	defer f.Close()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	var s *state.State
	for range b.N {
		var err error
		if s, _, err = state.LoadState(f.State.DB); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/tasks, "B/task")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/task")
	runtime.KeepAlive(s)
}

func BenchmarkList(b *testing.B) {
	f := filled(b, 200_000)
	defer f.Close()
	queries := map[string]*wire.TaskQuery{
		"newest":   {Limit: 21},
		"filtered": {Limit: 21, Statuses: []wire.Status{wire.Succeeded}, IndexUIDs: []string{"movies"}},
		"dates":    {Limit: 21, AfterEnqueuedAt: ptr(int64(100_000))},
		"batches":  {Limit: 21, BatchUIDs: []uint32{5, 100}},
	}
	for name, q := range queries {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, _, err := f.Tasks(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDelete(b *testing.B) {
	const tasks = 100_000
	for range b.N {
		b.StopTimer()
		f := filled(b, tasks)
		d := &wire.DeleteTasks{}
		for uid := range uint32(tasks) {
			d.UIDs = append(d.UIDs, uid)
		}
		body, err := entry.Encode(&wire.Command{Delete: d}, wire.Version)
		if err != nil {
			b.Fatal(err)
		}
		l := &raft.Log{Index: 1 << 40, Term: 1, Type: raft.LogCommand, Data: entry.Stamp(1<<50, 0, body, false)}
		b.StartTimer()
		if res, ok := f.Apply(l).(*wire.Result); !ok || res.Deleted != tasks {
			b.Fatalf("%+v", res)
		}
		b.StopTimer()
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPageOfAThousandTasks is what a list of tasks reads.
func BenchmarkPageOfAThousandTasks(b *testing.B) {
	f := filled(b, 10_000)
	if err := f.Machine.State.DB.Flush(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		page, _, err := f.Tasks(&wire.TaskQuery{Limit: 1001, Statuses: []wire.Status{wire.Succeeded}})
		if err != nil || len(page) != 1001 {
			b.Fatalf("%d tasks: %v", len(page), err)
		}
	}
	b.StopTimer()
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
