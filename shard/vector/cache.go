package vector

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Cache bounds the memory of decoded blocks over all shards of a host. When it is full,
// blocks that were not used for a while are evicted. Blocks without room are compared
// by their stored vectors. Safe for concurrent use.
type Cache struct {
	now    func() time.Time
	budget int64
	files  Files
	asked  atomic.Bool // a search needed room
	// buffers are for reading files whose rows are not cached.
	buffers sync.Pool

	mu    sync.Mutex
	bytes int64
	kept  map[*Block]*keptBlock
	whole int // blocks that can be halved
}

// Files holds the sheets of blocks.
type Files interface {
	// Open opens a file.
	Open(name string) (File, error)
	// Damaged is called once for a damaged file.
	Damaged(name string, err error)
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.Closer
}

type keptBlock struct {
	bytes int64
	whole bool         // it can be halved
	last  atomic.Int64 // second of the last use
}

// idleBlock is how long an unused block stays although others need its room.
const idleBlock = 30 * time.Second

// NewCache returns a cache of budget bytes. now is its clock.
func NewCache(budget int64, now func() time.Time) *Cache {
	return &Cache{now: now, budget: budget, kept: make(map[*Block]*keptBlock)}
}

// ReadFrom lets the cache read files. Call it before any use.
func (v *Cache) ReadFrom(files Files) { v.files = files }

// read returns the rows of a block with the chosen codes from its file, or nil if the file
// cannot be used, which is then forgotten. They must be given to release.
func (v *Cache) read(b *Block, file string, chosen choice) *Rows {
	return v.readInto(b, file, chosen, false)
}

// readInto is read. kept means that codes do not alias the buffer of the rows.
func (v *Cache) readInto(b *Block, file string, chosen choice, kept bool) *Rows {
	into := buffer{kept: kept}
	if p, ok := v.buffers.Get().(*[]byte); ok {
		into.data = *p
	}
	f, err := v.files.Open(file)
	var rows *Rows
	if err == nil {
		rows, err = readSheet(f, file, chosen, &into)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		v.lost(b, file, err)
		return nil
	}
	rows.buffer, rows.file = into.data, file
	return rows
}

// lost forgets a file that cannot be used, and the rows that need it.
func (v *Cache) lost(b *Block, file string, err error) {
	v.mu.Lock()
	if k, rows := v.kept[b], b.rows.Load(); k != nil && rows != nil && rows.file == file {
		v.drop(b, k)
	}
	v.mu.Unlock()
	if name := b.file.Load(); name != nil && *name == file && b.file.CompareAndSwap(name, nil) && !errors.Is(err, fs.ErrNotExist) {
		v.files.Damaged(file, err)
	}
}

// readAll returns rows of a block from its file, to be kept, or nil like read.
func (v *Cache) readAll(b *Block, file string, chosen choice) *Rows {
	rows := v.readInto(b, file, chosen, true)
	if rows == nil {
		return nil
	}
	for _, c := range rows.columns {
		c.flags = slices.Clone(c.flags)
	}
	v.release(rows)
	rows.buffer = nil
	rows.size()
	return rows
}

// release takes back the result of Table.Rows, which may be nil.
func (v *Cache) release(rows *Rows) {
	if rows != nil && rows.buffer != nil {
		buffer := rows.buffer
		v.buffers.Put(&buffer)
	}
}

// Held returns the bytes of cached rows.
func (v *Cache) Held() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes
}

func (v *Cache) used(b *Block) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k := v.kept[b]; k != nil {
		k.last.Store(v.now().Unix())
	}
}

// Idle reports that no rows were ever requested.
func (v *Cache) Idle() bool { return !v.asked.Load() }

// hasRoom reports whether rows of a size could be cached.
func (v *Cache) hasRoom(bytes int64) bool {
	v.asked.Store(true)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.makeRoom(bytes)
	return v.bytes+bytes <= v.budget
}

// fits reports whether there is room for bytes more as things are.
func (v *Cache) fits(bytes int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes+bytes <= v.budget
}

// makeRoom evicts idle blocks if there is no room for bytes more, then halves others. The
// caller holds v.mu.
func (v *Cache) makeRoom(bytes int64) {
	if v.bytes+bytes <= v.budget {
		return
	}
	now := v.now().Unix()
	for b, k := range v.kept {
		if now-k.last.Load() > int64(idleBlock/time.Second) {
			v.drop(b, k)
		}
	}
	if v.whole == 0 {
		return
	}
	for b, k := range v.kept {
		if v.bytes+bytes <= v.budget {
			return
		}
		if k.whole {
			v.halve(b, k)
		}
	}
}

func (v *Cache) halve(b *Block, k *keptBlock) {
	half := b.rows.Load().halved()
	b.rows.Store(half)
	v.bytes -= k.bytes - half.bytes
	k.bytes, k.whole = half.bytes, false
	v.whole--
}

// keep stores the rows in the block if there is room.
func (v *Cache) keep(b *Block, rows *Rows) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k := v.kept[b]; k != nil { // of the previous block
		v.drop(b, k)
	}
	v.makeRoom(rows.bytes)
	if b.gone.Load() || v.bytes+rows.bytes > v.budget {
		return
	}
	v.hold(b, rows.bytes, v.now().Unix())
	b.rows.Store(rows)
	if rows.file != "" && !rows.isHalved() {
		v.kept[b].whole = true
		v.whole++
	}
}

func (v *Cache) hold(b *Block, bytes, last int64) {
	k := &keptBlock{bytes: bytes}
	k.last.Store(last)
	v.kept[b] = k
	v.bytes += bytes
}

func (v *Cache) drop(b *Block, k *keptBlock) {
	b.rows.Store(nil)
	b.before = nil
	v.bytes -= k.bytes
	if k.whole {
		v.whole--
	}
	delete(v.kept, b)
}

// before returns the cached rows of the block that b replaced, if any, and the
// documents changed since.
func (v *Cache) before(b *Block) (*Rows, []uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return b.before, b.changed
}

// Retire releases the blocks of a replaced version that the next one does not share.
// next is nil at the end of a shard. Blocks of the next version inherit their rows.
// Readers of the old version read the store.
func (v *Cache) Retire(old, next *Table) {
	if old == nil || old == next {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, b := range old.blocks {
		var follower *Block
		if next != nil && i < len(next.blocks) {
			if follower = next.blocks[i]; follower == b {
				continue
			}
		}
		b.gone.Store(true)
		k := v.kept[b]
		if k == nil {
			continue
		}
		rows, changed := b.rows.Load(), []uint32(nil)
		if rows == nil {
			rows, changed = b.before, b.changed
		}
		v.drop(b, k)
		if follower != nil && follower.changed != nil && v.kept[follower] == nil {
			follower.before, follower.changed = rows, union(changed, follower.changed)
			v.hold(follower, k.bytes, k.last.Load())
		}
	}
}

// union merges two ascending lists.
func union(a, b []uint32) []uint32 {
	if len(a) == 0 {
		return b
	}
	out := append(append(make([]uint32, 0, len(a)+len(b)), a...), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
