package shard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/api/settings"
	"shoal/shard/store"
	"shoal/wire"
)

// tiny limits make every way of building and storing a delta occur.
var tiny = store.Limits{SmallDelta: 600, DeltaFile: 900, Records: 1000, ChunkJobs: 3, ChunkBytes: 300, Spill: 800}

func lowLimits(o *Options) { o.limits, o.Budget.Build, o.Budget.Postings = tiny, 1, 256<<10 }

var vocabulary = strings.Fields("alpha beta gamma delta red green blue the of 12 7 été naïve foobar foo fo x-ray a,b c.d")

func randomDoc(r *rand.Rand, id int) string {
	members := []string{fmt.Sprintf(`"id":%d`, id)}
	if r.IntN(2) == 0 {
		members[0] = fmt.Sprintf(`"id":"%d"`, id)
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if r.IntN(3) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, randomValue(r, 0)))
		}
	}
	if r.IntN(5) == 0 {
		members = append(members, `"_geo":{"lat":1.5,"lng":`+fmt.Sprint(r.IntN(90))+`}`)
	}
	if r.IntN(5) == 0 {
		members = append(members, `"_geojson":{"type":"Point","coordinates":[1,2]}`)
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

func randomValue(r *rand.Rand, depth int) string {
	switch k := r.IntN(9); {
	case k == 0:
		return "null"
	case k == 1:
		return fmt.Sprint(r.IntN(5))
	case k == 2:
		return []string{"true", "false", `""`, "[]", "{}", "2.50", "-0.0"}[r.IntN(7)]
	case k == 3 && depth < 2:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomValue(r, depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	case k == 4 && depth < 2:
		var items []string
		for _, name := range []string{"u", "v"}[:r.IntN(3)] {
			items = append(items, fmt.Sprintf("%q:%s", name, randomValue(r, depth+1)))
		}
		return "{" + strings.Join(items, ",") + "}"
	}
	var words []string
	for range r.IntN(40) / (1 + depth) {
		words = append(words, vocabulary[r.IntN(len(vocabulary))])
	}
	raw, _ := json.Marshal(strings.Join(words, " "))
	return string(raw)
}

// randomOps draws a batch and applies it to the twin.
func (w *world) randomOps(r *rand.Rand) []wire.Op {
	var ops []wire.Op
	before := w.taken()
	base := map[string]bool{}
	for id := range w.docs {
		base[id] = true
	}
	ids := map[string]uint32{} // ordinals of this batch's documents, including deleted ones
	for id, d := range w.docs {
		ids[id] = d.ord
	}
	for range 1 + r.IntN(4) {
		switch k := r.IntN(8); {
		case k < 3 || k < 6 && len(ops) > 0:
			var docs []string
			merge, skip := r.IntN(2) == 0, r.IntN(6) == 0
			for range r.IntN(12) {
				doc := randomDoc(r, r.IntN(60))
				docs = append(docs, doc)
				w.putInBatch(before, ids, doc, merge, skip)
			}
			op := wire.Op{Kind: wire.OpReplace, Payload: payloadOf(w.t, docs...), SkipCreation: skip}
			if merge {
				op.Kind = wire.OpUpdate
			}
			ops = append(ops, op)
		default:
			var gone []string
			for range r.IntN(10) {
				id := fmt.Sprint(r.IntN(60))
				gone = append(gone, id)
				delete(w.docs, id)
			}
			ops = append(ops, wire.Op{Kind: wire.OpDeleteIDs, IDs: gone})
		}
	}
	if r.IntN(15) == 0 {
		clear(w.docs)
		ops = append(ops, wire.Op{Kind: wire.OpClear})
	}
	return ops
}

// putInBatch is put for a batch that used ids before: an id keeps its ordinal even if
// nothing is created.
func (w *world) putInBatch(before map[uint32]bool, ids map[string]uint32, doc string, merge, skip bool) {
	var head struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(doc), &head); err != nil {
		w.t.Fatal(err)
	}
	id := strings.Trim(string(head.ID), `"`)
	ord, known := ids[id]
	if !known {
		for before[ord] {
			ord++
		}
		before[ord], ids[id] = true, ord
	}
	if _, alive := w.docs[id]; !alive && skip {
		return
	}
	w.put(before, doc, merge)
	d := w.docs[id]
	if d.ord != ord {
		delete(before, d.ord)
		d.ord = ord
		w.docs[id] = d
	}
}

func randomSettings(r *rand.Rand) *settings.Settings {
	s := settings.Default()
	if r.IntN(2) == 0 {
		s.StopWords = []string{"of", "the"}
	}
	if r.IntN(2) == 0 {
		s.SearchableAttributes = []string{"b", "a.u", "c"}
	}
	s.TypoTolerance.DisableOnNumbers = r.IntN(2) == 0
	if r.IntN(2) == 0 {
		s.TypoTolerance.DisableOnAttributes = []string{"c"}
	}
	if r.IntN(3) == 0 {
		s.TypoTolerance.InfixOnAttributes = []string{"a", "c"}
	}
	for _, name := range []string{"a", "b.u", "c", "_geo", "_geojson"} {
		if r.IntN(2) == 0 {
			s.Filterable = append(s.Filterable, plainRules(name)...)
		}
	}
	if r.IntN(2) == 0 {
		s.Sortable = []string{"d"}
	}
	if r.IntN(2) == 0 {
		s.Filterable = append(s.Filterable, objectRule("d", "e"))
	}
	return s
}

// TestAgainstTwin runs random batches and settings through two hosts. The second
// receives every delta, or sometimes a copy of everything.
func TestAgainstTwin(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range rounds(6, 2) {
		change := []func(*Options){}
		if round%2 == 0 {
			change = append(change, lowLimits)
		}
		w := newWorld(t, openHost(t, vfs.NewMem(), change...))
		if round%3 > 0 {
			w.numbers, w.random = map[uint32]uint32{}, r
		}
		second := newWorld(t, openHost(t, vfs.NewMem(), change...))
		for range 14 {
			w.randomBatch(r)
			w.check()
			second.follow(w, r)
			second.check()
		}
		w.close()
		second.close()
	}
}

// randomBatch commits one random batch or settings change.
func (w *world) randomBatch(r *rand.Rand) {
	w.t.Helper()
	var ops []wire.Op
	if r.IntN(4) == 0 {
		w.settings = randomSettings(r)
		w.gens.Text++
		w.gens.Facet++
	}
	if r.IntN(4) > 0 || w.settings == w.old {
		ops = w.randomOps(r)
	}
	w.commit(ops...)
}

// follow brings a second host to the version of w.
func (s *world) follow(w *world, r *rand.Rand) {
	s.t.Helper()
	var stream bytes.Buffer
	if r.IntN(5) == 0 {
		if _, err := w.host.SendCopy(context.Background(), testKey, w.version, &stream); err != nil {
			s.t.Fatal(err)
		}
	} else {
		s.catchUp(w)
		return
	}
	if _, err := s.host.Receive(&stream); err != nil {
		s.t.Fatal(err)
	}
	s.sameAs(w)
}

// catchUp fetches the deltas that s lacks.
func (s *world) catchUp(w *world) {
	s.t.Helper()
	missing, err := s.host.Publish(w.index(), testKey.Shard)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range missing {
		for _, ref := range m.Deltas {
			var stream bytes.Buffer
			if err := w.host.Send(&ref, &stream); err != nil {
				s.t.Fatal(err)
			}
			if _, err := s.host.Receive(&stream); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	s.sameAs(w)
	s.install()
}

func (s *world) sameAs(w *world) {
	s.deltas, s.version, s.delta, s.settings, s.fields, s.gens, s.docs, s.numbers = w.deltas, w.version, w.delta, w.settings, w.fields, w.gens, w.docs, w.numbers
}

// TestBuildsDoNotDependOnTheNumberOfThreads builds the same batches with one and with four threads.
func TestBuildsDoNotDependOnTheNumberOfThreads(t *testing.T) {
	for _, change := range [][]func(*Options){nil, {lowLimits}} {
		var got [2][]string
		for i, procs := range []int{1, 4} {
			old := runtime.GOMAXPROCS(procs)
			w := newWorld(t, openHost(t, vfs.NewMem(), change...))
			r := rand.New(rand.NewPCG(5, 6))
			for range 8 {
				w.randomBatch(r)
				got[i] = append(got[i], w.deltaOps())
			}
			w.close()
			runtime.GOMAXPROCS(old)
		}
		if !slices.Equal(got[0], got[1]) {
			t.Fatal("deltas differ with the number of threads")
		}
	}
}

// deltaOps renders the newest delta as shipped.
func (w *world) deltaOps() string {
	w.t.Helper()
	var out bytes.Buffer
	if err := w.host.Send(&wire.PendingRef{Key: testKey, DeltaID: w.delta}, &out); err != nil {
		w.t.Fatal(err)
	}
	return out.String()
}

// rounds is the number of rounds of a random test; fewer with -short.
func rounds(all, soon int) int {
	if testing.Short() {
		return soon
	}
	return all
}
