package shard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/extract"
	"shoal/shard/record"
	"shoal/shard/rows"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
	"shoal/wire/staged"
)

var testKey = wire.ShardKey{IndexID: 7, Shard: 2}

// world drives one shard on one host as leader and log do. Its twin, a simple model,
// holds what the shard must hold.
type world struct {
	t    *testing.T
	host *Host
	key  wire.ShardKey
	// ordinals, if set, are those of the new documents of the next batch.
	ordinals []uint32
	// numbers are the ordinals by row, of a shard that numbers its documents without
	// gaps; nil if the rows are the ordinals. random draws new ordinals, below
	// ordinalsBelow (0 is 2^20).
	numbers       map[uint32]uint32
	random        *rand.Rand
	ordinalsBelow uint32
	version       uint64
	delta         string // that led to version
	deltas        []wire.Delta
	replicas      []wire.Replica
	attempt       int
	settings      *settings.Settings
	fields        []string
	gens          wire.Generations
	old           *settings.Settings // of the last version
	oldGens       wire.Generations
	docs          map[string]twinDoc
}

type twinDoc struct {
	ord     uint32            // row
	members map[string]string // name -> raw value
}

func openHost(t testing.TB, fs vfs.FS, change ...func(*Options)) *Host {
	t.Helper()
	o := Options{Dir: "data", FS: fs, Node: "n1", Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Budget: Budget{Blocks: 8 << 20},
		Fatal: func(err error) { panic(err) },
	}
	for _, c := range change {
		c(&o)
	}
	h, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func newWorld(t *testing.T, h *Host) *world {
	s := settings.Default()
	return &world{t: t, host: h, key: testKey, settings: s, old: s, docs: map[string]twinDoc{}}
}

func plainRules(names ...string) []settings.FilterableRule {
	var out []settings.FilterableRule
	for _, n := range names {
		out = append(out, settings.FilterableRule{Patterns: []string{n}, FacetSearch: true, Equality: true, Comparison: true, Plain: true})
	}
	return out
}

// objectRule has attributes indexed by objects.
func objectRule(names ...string) settings.FilterableRule {
	for _, name := range names {
		names = append(names, name+".*")
	}
	return settings.FilterableRule{Patterns: names, Equality: true, Comparison: true, SameObject: true}
}

func marshalSettings(s *settings.Settings) []byte {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

// payloadOf stages documents under the key "id".
func payloadOf(t testing.TB, docs ...string) wire.Payload {
	t.Helper()
	var buf bytes.Buffer
	w, err := staged.NewWriter(&buf, "id", true)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, doc := range docs {
		var head struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(doc), &head); err != nil {
			t.Fatal(err)
		}
		size += len(doc)
		if err := w.Append([]byte(strings.Trim(string(head.ID), `"`)), []byte(doc)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return wire.Payload{Inline: buf.Bytes(), RawSize: int64(size)}
}

func (w *world) request(ops []wire.Op) *wire.BuildRequest {
	w.attempt++
	pos := uint64(0)
	for i := range ops {
		ops[i].Task = uint32(100 + i)
		ops[i].FirstPos = pos
		pos += 1000
	}
	return &wire.BuildRequest{
		Ordinals: w.ordinals, HasOrdinals: w.ordinals != nil, Rows: w.numbers != nil,
		Key: w.key, UID: "idx", SlotHi: wire.Slots, Term: 3, Base: w.version, DeltaID: fmt.Sprintf("d%d-%d", w.version, w.attempt),
		PrimaryKey: "id", Settings: marshalSettings(w.settings), Fields: w.fields, Generations: w.gens,
		OldSettings: marshalSettings(w.old), OldGenerations: w.oldGens, Ops: ops,
	}
}

// build computes a delta. It learns new fields as the leader does.
func (w *world) build(ops ...wire.Op) (*wire.BuildRequest, *wire.BuildReply) {
	w.t.Helper()
	for range 10 {
		req := w.request(ops)
		reply, err := w.host.Build(context.Background(), req)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(reply.NewFields) == 0 {
			return req, reply
		}
		w.fields = append(slices.Clone(w.fields), reply.NewFields...)
	}
	w.t.Fatal("fields never settle")
	return nil, nil
}

// commit builds, installs and checks against the twin.
func (w *world) commit(ops ...wire.Op) *wire.BuildReply {
	w.t.Helper()
	if w.numbers != nil {
		w.allot(ops)
	}
	req, reply := w.build(ops...)
	if reply.Err != nil {
		w.t.Fatalf("build: %v", reply.Err)
	}
	w.advance(req)
	return reply
}

// allot draws the ordinals of the documents that a batch creates, as the leader allots
// them. They get the smallest free rows.
func (w *world) allot(ops []wire.Op) {
	w.t.Helper()
	reply, err := w.host.Resolve(context.Background(), &wire.ResolveRequest{
		Key: w.key, SlotHi: wire.Slots, Base: w.version, Ops: w.request(ops).Ops, PrimaryKey: "id", WantLive: true,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	live := roaring.New()
	if err := live.UnmarshalBinary(reply.Live); err != nil {
		w.t.Fatal(err)
	}
	if want := slices.Sorted(maps.Values(w.numbers)); !slices.Equal(live.ToArray(), want) {
		w.t.Fatalf("ordinals %v are in use, want %v", live.ToArray(), want)
	}
	w.ordinals = []uint32{}
	row := uint32(0)
	fresh := maps.Clone(w.numbers)
	for range reply.New {
		for _, taken := fresh[row]; taken; _, taken = fresh[row] {
			row++
		}
		ordinal := w.random.Uint32N(cmp.Or(w.ordinalsBelow, 1<<20))
		for live.Contains(ordinal) {
			ordinal++
		}
		live.Add(ordinal)
		fresh[row] = ordinal
		w.ordinals = append(w.ordinals, ordinal)
	}
	w.numbers = fresh
}

func (w *world) advance(req *wire.BuildRequest) {
	w.t.Helper()
	w.version, w.delta = req.Base+1, req.DeltaID
	w.deltas = append(slices.Clone(w.deltas), wire.Delta{Version: w.version, ID: w.delta})
	w.old, w.oldGens = w.settings, w.gens
	w.forget()
	w.install()
}

// forget drops the ordinals of rows without document.
func (w *world) forget() {
	if w.numbers == nil {
		return
	}
	kept := map[uint32]uint32{}
	for _, d := range w.docs {
		kept[d.ord] = w.numbers[d.ord]
	}
	w.numbers = kept
}

// install does what the news of a commit does.
func (w *world) install() {
	w.t.Helper()
	missing, err := w.host.Publish(w.index(), w.key.Shard)
	if err != nil || len(missing) > 0 {
		w.t.Fatalf("publish: %v, missing %v", err, missing)
	}
}

func (w *world) index() *wire.Index {
	return &wire.Index{ID: w.key.IndexID, Version: w.version, Shards: []wire.Shard{{
		Number: w.key.Shard, SlotHi: wire.Slots, Replicas: w.replicas, Deltas: w.deltas[max(0, len(w.deltas)-maxCatalogDeltas):],
	}}}
}

func (w *world) view() *version.View {
	w.t.Helper()
	v, err := w.host.View(context.Background(), &wire.PinnedIndex{Key: w.key, Version: w.version, DeltaID: w.delta})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// check compares everything in the shard with the twin.
func (w *world) check() {
	w.t.Helper()
	v := w.view()
	defer func() { _ = v.Close() }()
	compareDumps(w.t, dump(w.t, v.Version), w.expected())
	want := w.expectedStats()
	if got := v.Stats(); !equalStats(got, want) {
		w.t.Fatalf("stats\n%+v, want\n%+v", got, want)
	}
	w.checkMemory(v)
}

// checkMemory compares the structures in memory of a version with the store.
func (w *world) checkMemory(v *version.View) {
	w.t.Helper()
	r, err := w.host.replicas.loaded(w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := version.Load(r.shared, r.key, r.caching.Load)
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Release()
	if err := v.Verify(c); err != nil {
		w.t.Fatal(err)
	}
}

func equalStats(a, b wire.ShardStats) bool {
	return a.Documents == b.Documents && a.RawBytes == b.RawBytes && slices.Equal(a.Fields, b.Fields)
}

func compareDumps(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			t.Fatalf("%q is %q, want %q", k, got[k], want[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok {
			t.Fatalf("%q is %q, want nothing", k, got[k])
		}
	}
}

// dump renders all tables of a version readably, posting lists by name.
func dump(t *testing.T, c *version.Version) map[string]string {
	t.Helper()
	out := map[string]string{}
	sets := map[string]*docset.Builder{}
	it := c.Borrow(nil)
	defer c.GiveBack(it)
	for more := it.First(); more; more = it.Next() {
		key, tab := it.Key(), store.TableOf(it.Key())
		if tab == store.TableMeta || tab == store.TablePending || tab == store.TableColumns {
			continue
		}
		if store.KeyOf(key) != c.Keys().Key || store.GenerationOf(key) != c.Keys().Generation(tab) {
			t.Fatalf("key %x of another shard or generation", key)
		}
		value, err := it.ValueAndErr()
		if err != nil {
			t.Fatal(err)
		}
		rest := key[store.PrefixLen:]
		switch tab {
		case store.TableID:
			out["id:"+string(rest)] = fmt.Sprint(binary.BigEndian.Uint32(value))
		case store.TableRows:
			entries, err := store.DecodeRows(value)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Ordinal != rows.None {
					out[fmt.Sprintf("row:%d", binary.BigEndian.Uint32(rest)<<rows.PageShift+uint32(e.Low))] = fmt.Sprint(e.Ordinal)
				}
			}
		case store.TableDocument:
			id, doc, err := store.CutDocument(value)
			if err != nil {
				t.Fatal(err)
			}
			out[fmt.Sprintf("doc:%d", binary.BigEndian.Uint32(rest))] = string(id) + " " + string(doc)
		case store.TableTokens, store.TableValues:
			out[fmt.Sprintf("%c:%d", tab, binary.BigEndian.Uint32(rest))] = string(value)
		case store.TableWords:
			n, err := store.DecodeCounts(value)
			if err != nil {
				t.Fatal(err)
			}
			out["words:"+string(rest)] = fmt.Sprint(n.Tolerant, n.Exact)
		default:
			addBlock(t, sets, tab, rest, value)
		}
	}
	for name, b := range sets {
		out[name] = fmt.Sprint(b.Set().AppendTo(nil))
	}
	return out
}

func addBlock(t *testing.T, sets map[string]*docset.Builder, tab store.Table, rest, value []byte) {
	t.Helper()
	var name string
	var block uint32
	switch tab {
	case store.TableWord, store.TableExact:
		word, tail, ok := store.CutTerminated(rest[2:])
		if !ok || len(tail) != 1 {
			t.Fatalf("word key %x", rest)
		}
		name, block = string(word), uint32(binary.BigEndian.Uint16(rest))<<4|uint32(tail[0])
	default:
		name, block = string(rest[:len(rest)-2]), uint32(binary.BigEndian.Uint16(rest[len(rest)-2:]))
	}
	name = fmt.Sprintf("%c:%s", tab, name)
	c, err := store.DecodePosting(value)
	if err != nil || c.Empty() {
		t.Fatalf("posting %q: %v, %d elements", name, err, c.Len())
	}
	if sets[name] == nil {
		sets[name] = &docset.Builder{}
	}
	c.Each(func(low uint16) bool {
		sets[name].Add(block<<16 | uint32(low))
		return true
	})
}

// stored renders a twin document in field-id order.
func (w *world) stored(d twinDoc) []byte {
	var parts []string
	for _, name := range w.fields {
		if raw, ok := d.members[name]; ok {
			parts = append(parts, fmt.Sprintf("%q:%s", name, raw))
		}
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

// expected computes all tables from the twin's documents alone.
func (w *world) expected() map[string]string {
	w.t.Helper()
	plan, err := extract.NewPlan(w.settings, w.fields, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	x := plan.New()
	out := map[string]string{}
	sets := map[string][]uint32{}
	post := func(tab store.Table, name []byte, ord uint32) {
		k := fmt.Sprintf("%c:%s", tab, name)
		sets[k] = append(sets[k], ord)
	}
	tolerant, exact := map[string]int{}, map[string]int{}
	for id, d := range w.docs {
		doc := w.stored(d)
		out["id:"+id] = fmt.Sprint(d.ord)
		if w.numbers != nil {
			out[fmt.Sprintf("row:%d", d.ord)] = fmt.Sprint(w.numbers[d.ord])
		}
		out[fmt.Sprintf("doc:%d", d.ord)] = id + " " + string(doc)
		post(store.TableLive, nil, d.ord)
		if err := x.Load(doc); err != nil {
			w.t.Fatal(err)
		}
		words, err := x.Tokens(nil)
		if err != nil {
			w.t.Fatal(err)
		}
		vals, err := x.Values(nil, id)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(words) > 0 {
			out[fmt.Sprintf("%c:%d", store.TableTokens, d.ord)] = string(words)
		}
		if len(vals) > 0 {
			out[fmt.Sprintf("%c:%d", store.TableValues, d.ord)] = string(vals)
		}
		rec, err := record.Parse(words)
		if err != nil {
			w.t.Fatal(err)
		}
		rec.Each(func(word []byte, e record.Entry) bool {
			if e.Tolerant() {
				post(store.TableWord, word, d.ord)
				tolerant[string(word)]++
			}
			if e.Exact() {
				post(store.TableExact, word, d.ord)
				exact[string(word)]++
			}
			return true
		})
		rec.Fields(func(f record.FieldTokens) bool {
			if f.Tokens <= 30 {
				post(store.TableCount, store.CountName(nil, f.Field, uint8(f.Tokens)), d.ord)
			}
			return true
		})
		w.expectValues(vals, d.ord, post)
		if err := x.Elements(func(name []byte) { post(store.TableElement, name, d.ord) }); err != nil {
			w.t.Fatal(err)
		}
	}
	for name, ords := range sets {
		slices.Sort(ords)
		out[name] = fmt.Sprint(ords)
	}
	for word := range maps.Keys(tolerant) {
		out["words:"+word] = fmt.Sprint(tolerant[word], exact[word])
	}
	for word := range maps.Keys(exact) {
		out["words:"+word] = fmt.Sprint(tolerant[word], exact[word])
	}
	return out
}

func (w *world) expectValues(raw []byte, ord uint32, post func(store.Table, []byte, uint32)) {
	w.t.Helper()
	v, err := record.ParseValues(raw)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, ok := v.Point(); ok {
		post(store.TableState, store.StateName(nil, 0, store.StateGeo), ord)
	}
	if v.HasShape() {
		post(store.TableState, store.StateName(nil, 0, store.StateGeoJSON), ord)
	}
	for f := range v.Fields() {
		post(store.TableState, store.StateName(nil, f.Field, store.StateExists), ord)
		if f.Flags&record.Null != 0 {
			post(store.TableState, store.StateName(nil, f.Field, store.StateNull), ord)
		}
		if f.Flags&record.Empty != 0 {
			post(store.TableState, store.StateName(nil, f.Field, store.StateEmpty), ord)
		}
		for n := range f.Numbers() {
			post(store.TableNumber, store.NumberName(nil, f.Field, record.OrderedFloat(n)), ord)
		}
		for form := range f.Strings() {
			post(store.TableString, store.StringName(nil, f.Field, form), ord)
		}
	}
}

func (w *world) expectedStats() wire.ShardStats {
	present := map[string]uint64{}
	s := wire.ShardStats{Documents: uint64(len(w.docs))}
	for _, d := range w.docs {
		s.RawBytes += uint64(len(w.stored(d)))
		for name := range d.members {
			present[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(present)) {
		s.Fields = append(s.Fields, wire.FieldCount{Field: name, Count: present[name]})
	}
	return s
}

// put changes the twin. A new document gets the smallest free ordinal of before.
func (w *world) put(before map[uint32]bool, doc string, merge bool) {
	w.t.Helper()
	members := map[string]string{}
	if err := extract.Members([]byte(doc), func(name string, raw []byte) { members[name] = string(raw) }); err != nil {
		w.t.Fatal(err)
	}
	id := strings.Trim(members["id"], `"`)
	d, ok := w.docs[id]
	if !ok {
		for before[d.ord] {
			d.ord++
		}
		before[d.ord] = true
	}
	if merge && ok {
		merged := maps.Clone(d.members)
		maps.Copy(merged, members)
		members = merged
	}
	d.members = members
	w.docs[id] = d
}

func (w *world) taken() map[uint32]bool {
	out := map[uint32]bool{}
	for _, d := range w.docs {
		out[d.ord] = true
	}
	return out
}

func (w *world) close() {
	w.t.Helper()
	if err := w.host.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func mustBehind(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

var _ = time.Second
