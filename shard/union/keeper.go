package union

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"shoal/shard/posting"
	"shoal/shard/version"
	"shoal/wire"
)

const (
	// maxStates is how many states of a line are kept. Requests that began before a
	// change continue with the previous state.
	maxStates = 3
	// maxLines is how many lines of one index are kept. Which shards of a node are
	// queried together depends on the querying node.
	maxLines = 8
	// idleAfter is how long an unused line is kept.
	idleAfter = time.Minute
)

// Keeper keeps the states of a node. Safe for concurrent use.
type Keeper struct {
	shared *version.Shared
	newest func(wire.ShardKey) *version.Version
	now    func() time.Time

	mu    sync.Mutex
	lines map[uint32][]*line // by index
	// installing are the shards that are changing.
	installing map[wire.ShardKey]bool
}

// NewKeeper returns a Keeper without states. newest returns the newest version of a
// loaded shard with a reference, or nil. It must not wait for a change of the shard.
func NewKeeper(shared *version.Shared, newest func(wire.ShardKey) *version.Version, now func() time.Time) *Keeper {
	return &Keeper{shared: shared, newest: newest, now: now, lines: make(map[uint32][]*line), installing: make(map[wire.ShardKey]bool)}
}

// isNewest reports whether a version is the newest one of its shard.
func (k *Keeper) isNewest(c *version.Version) bool {
	v := k.newest(c.Keys().Key)
	if v == nil {
		return false
	}
	defer v.Release()
	return v == c
}

// line is the sequence of states of some shards of an index.
type line struct {
	shared *version.Shared
	shards []uint16
	// bases are the first blocks of the shards in a State.
	bases []uint16
	used  atomic.Int64 // time of the last use, in nanoseconds

	building sync.Mutex // held while a state is created

	mu     sync.Mutex
	states []*State // the newest first
	// kept are the cached posting lists of the line. number counts its changes, two per
	// install: one when a shard begins to change, one when it is done. busy are the
	// changing shards.
	kept   posting.Line
	number uint64
	busy   []uint16
	// caching is number, or 0 while a shard changes.
	caching atomic.Uint64
}

// line returns the line of some shards, sorted by number.
func (k *Keeper) line(index uint32, shards []uint16) *line {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now().UnixNano()
	list := k.lines[index]
	for _, l := range list {
		if slices.Equal(l.shards, shards) {
			l.used.Store(now)
			return l
		}
	}
	l := &line{shared: k.shared, shards: slices.Clone(shards), kept: k.shared.NewLine()}
	for _, shard := range shards {
		if k.installing[wire.ShardKey{IndexID: index, Shard: shard}] {
			l.busy = append(l.busy, shard)
		}
	}
	l.turn()
	l.used.Store(now)
	if len(list) >= maxLines {
		oldest := slices.MinFunc(list, func(a, b *line) int { return int(a.used.Load() - b.used.Load()) })
		list = slices.DeleteFunc(list, func(l *line) bool { return l == oldest })
		oldest.clear()
	}
	k.lines[index] = append(list, l)
	return l
}

// Find returns a state of some shards, sorted by number, whose versions match, with a
// reference for the caller, or nil.
func (k *Keeper) Find(index uint32, shards []uint16, match func(i int, c *version.Version) bool) *State {
	return k.find(k.line(index, shards), match)
}

func (k *Keeper) find(l *line, match func(i int, c *version.Version) bool) *State {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.states {
		if s.matches(match) && s.acquire() {
			k.place(l, s)
			return s
		}
	}
	return nil
}

func (s *State) matches(match func(i int, c *version.Version) bool) bool {
	for i, part := range s.parts {
		if !match(i, part) {
			return false
		}
	}
	return true
}

// place assigns a state its number in the line if it is the newest. The caller holds mu
// of the line.
func (k *Keeper) place(l *line, s *State) {
	if s.number.Load() != 0 || len(l.busy) > 0 || s.kept != l.kept {
		return
	}
	for _, part := range s.parts {
		if !k.isNewest(part) {
			return
		}
	}
	s.number.Store(l.number)
}

// Unite returns the state of versions of some shards, sorted by number, with a
// reference for the caller. It takes over a reference to each version.
func (k *Keeper) Unite(index uint32, shards []uint16, parts []*version.Version) *State {
	return k.unite(k.line(index, shards), parts)
}

func (k *Keeper) unite(l *line, parts []*version.Version) *State {
	l.building.Lock()
	defer l.building.Unlock()
	if s := k.find(l, func(i int, c *version.Version) bool { return c == parts[i] }); s != nil {
		release(parts)
		return s
	}
	before, bases, kept := l.base(parts)
	s := newState(l, parts, bases, before)
	s.kept = kept
	if before != nil {
		before.Release()
	}
	k.put(l, s)
	return s
}

// base returns the newest state without newer versions than parts, with a reference, or
// nil; the bases of the parts; and the cached posting lists of the line.
func (l *line) base(parts []*version.Version) (before *State, bases []uint16, kept posting.Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !fit(l.bases, parts) {
		l.bases, l.kept = basesOf(parts), l.shared.NewLine()
		l.turn()
	}
	for _, s := range l.states {
		older := s.matches(func(i int, c *version.Version) bool { return c.State().Version <= parts[i].State().Version })
		if older && s.acquire() {
			return s, l.bases, l.kept
		}
	}
	return nil, l.bases, l.kept
}

// blocks returns the number of blocks of a shard.
func blocks(part *version.Version) int {
	last, _ := part.Live().Max()
	return int(last>>16) + 1
}

// basesOf returns the first blocks of some shards read as one. Each shard has room to
// grow to a power of two, as long as there are enough blocks for all.
func basesOf(parts []*version.Version) []uint16 {
	sum := 0
	for _, part := range parts {
		sum += blocks(part)
	}
	room, bases, at := max(0, 1<<16-sum), make([]uint16, len(parts)), 0
	for i, part := range parts {
		bases[i] = uint16(at)
		n := blocks(part)
		more := min(1<<bits.Len(uint(n-1))-n, room)
		room -= more
		at += n + more
	}
	return bases
}

// fit reports whether the shards fit between the bases.
func fit(bases []uint16, parts []*version.Version) bool {
	for i := range bases {
		end := 1 << 16
		if i+1 < len(bases) {
			end = int(bases[i+1])
		}
		if int(bases[i])+blocks(parts[i]) > end {
			return false
		}
	}
	return len(bases) == len(parts)
}

// put caches a new state with a reference.
func (k *Keeper) put(l *line, s *State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.states, func(old *State) bool { return old.sum() <= s.sum() })
	if at < 0 {
		at = len(l.states)
	}
	if at == maxStates {
		return // older than the cached ones: for this request only
	}
	s.refs.Add(1)
	l.states = slices.Insert(l.states, at, s)
	k.place(l, s)
	if len(l.states) > maxStates {
		last := l.states[maxStates]
		l.states = l.states[:maxStates]
		last.Release()
	}
}

// sum orders the states of a line: versions only grow.
func (s *State) sum() (n uint64) {
	for _, part := range s.parts {
		n += part.State().Version
	}
	return n
}

// clear releases all states.
func (l *line) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.states {
		s.Release()
	}
	l.states = nil
}

// Installing announces that a shard gets its next version. The ops update the cached
// posting lists; if follows is false, all of them are dropped. The caller calls done
// once that version is visible, or was not installed. A shard has one install at a
// time.
func (k *Keeper) Installing(key wire.ShardKey, ops []byte, follows bool) (done func(installed bool), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.installing[key] = true
	for _, l := range k.lines[key.IndexID] {
		if kept, base, number, has := l.begin(key.Shard, follows); has && follows && err == nil {
			err = kept.Follow(ops, number, base)
		}
	}
	return func(installed bool) { k.installed(key, installed) }, err
}

// begin records that a shard changes, if it is in the line.
func (l *line) begin(shard uint16, follows bool) (kept posting.Line, base uint16, number uint64, has bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.shards, shard)
	if at < 0 {
		return kept, 0, 0, false
	}
	l.busy = append(l.busy, shard)
	l.turn()
	if !follows {
		l.kept = l.shared.NewLine()
	}
	if at < len(l.bases) {
		base = l.bases[at]
	}
	return l.kept, base, l.number, true
}

// turn starts a new number. The caller holds mu.
func (l *line) turn() {
	if l.number++; len(l.busy) == 0 {
		l.caching.Store(l.number)
	} else {
		l.caching.Store(0)
	}
}

func (k *Keeper) installed(key wire.ShardKey, installed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.installing, key)
	for _, l := range k.lines[key.IndexID] {
		l.mu.Lock()
		if at := slices.Index(l.busy, key.Shard); at >= 0 {
			l.busy = slices.Delete(l.busy, at, at+1)
			if !installed { // the cached lists have already changed
				l.kept = l.shared.NewLine()
			}
			l.turn()
		}
		l.mu.Unlock()
	}
}

// Tidy updates the lines in use, so that the next search need not, and releases
// outdated states and unused lines.
func (k *Keeper) Tidy() {
	k.mu.Lock()
	before := k.now().Add(-idleAfter).UnixNano()
	used := make(map[uint32][]*line, len(k.lines))
	for index, list := range k.lines {
		list = slices.DeleteFunc(list, func(l *line) bool {
			idle := l.used.Load() < before
			if idle {
				l.clear()
			}
			return idle
		})
		if k.lines[index] = list; len(list) == 0 {
			delete(k.lines, index)
		}
		used[index] = slices.Clone(list)
	}
	k.mu.Unlock()
	for index, list := range used {
		for _, l := range list {
			k.tidy(index, l)
		}
	}
}

// tidy makes the newest state of a line the only one.
func (k *Keeper) tidy(index uint32, l *line) {
	parts := make([]*version.Version, 0, len(l.shards))
	for _, shard := range l.shards {
		if v := k.newest(wire.ShardKey{IndexID: index, Shard: shard}); v != nil {
			parts = append(parts, v)
		}
	}
	var newest *State
	if len(parts) == len(l.shards) {
		newest = k.unite(l, parts)
		defer newest.Release()
	} else {
		release(parts)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states = slices.DeleteFunc(l.states, func(s *State) bool {
		if s == newest {
			return false
		}
		s.Release()
		return true
	})
}

func release(parts []*version.Version) {
	for _, part := range parts {
		part.Release()
	}
}

// Drop releases all states with a shard that is leaving the node.
func (k *Keeper) Drop(key wire.ShardKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines[key.IndexID] = slices.DeleteFunc(k.lines[key.IndexID], func(l *line) bool {
		if !slices.Contains(l.shards, key.Shard) {
			return false
		}
		l.clear()
		return true
	})
}

// Close releases all states.
func (k *Keeper) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for index, list := range k.lines {
		for _, l := range list {
			l.clear()
		}
		delete(k.lines, index)
	}
}

// Kept returns the memory of the cached states: costly results, and the sets of their
// documents.
func (k *Keeper) Kept() (results version.Bounds, live int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, list := range k.lines {
		for _, l := range list {
			l.mu.Lock()
			for _, s := range l.states {
				b := s.Kept()
				results.Ranking, results.Facets, results.Ranges = results.Ranking+b.Ranking, results.Facets+b.Facets, results.Ranges+b.Ranges
				live += int64(s.Live().MemBytes())
			}
			l.mu.Unlock()
		}
	}
	return results, live
}
