package columns

import (
	"cmp"
	"context"
	"slices"
)

// Part is what of a column file is warmed at a time.
type Part uint8

const (
	// Orders are the words of documents in their order, Rest is everything else. A search
	// reads more pieces of the former than of all others together, and they are a fifth
	// of a file, side by side.
	Orders Part = iota
	Rest
)

const (
	// warmBytes is what is read at once, warmGap the number of bytes that are rather read
	// than left out.
	warmBytes, warmGap = 512 << 10, 64 << 10
)

// Warming reads the pieces of a mapped file before a search asks for them, in the order of
// the file, and compares their checksums; what was compared is taken from the mapping.
// That takes a tenth of the time that searches take for it, a piece at a time. It changes no answer. For one goroutine.
type Warming struct {
	of  *pieces
	buf []byte
}

// Warming begins to warm the columns; it is nil when the file is not mapped, and a search
// would have to read all again.
func (b *BlockColumns) Warming() *Warming {
	if b.window.Load() == nil {
		return nil
	}
	return &Warming{of: &b.pieces}
}

// Read reads what nobody has read yet of a part, until it has read most bytes, and returns
// how many it did. It calls pace before each half of a mebibyte, and ends with its error. At
// what cannot be read, or is damaged, it ends without: a search that asks for it finds that
// out and says so.
func (w *Warming) Read(ctx context.Context, part Part, most int64, pace func(context.Context) error) (n int64, err error) {
	list := w.unread(part)
	for len(list) > 0 && n < most {
		if err := pace(ctx); err != nil {
			return n, err
		}
		chunk := w.chunk(list)
		if list = list[len(chunk):]; len(list) > 0 {
			w.prefetch(w.chunk(list))
		}
		read, sound := w.readChunk(chunk)
		if n += read; !sound {
			break
		}
	}
	return n, nil
}

// unread are the pieces that have to be read, in the order of the file.
func (w *Warming) unread(part Part) (list []uint32) {
	for i := range w.of.refs {
		if n := uint32(i); (w.of.refs[n].kind == pieceOrder) == (part == Orders) && !w.of.isSound(n) {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(x, y uint32) int { return cmp.Compare(w.of.refs[x].at, w.of.refs[y].at) })
	return list
}

// chunk are the first pieces of a list that are read at once.
func (w *Warming) chunk(list []uint32) []uint32 {
	begin, end := w.extent(list[:1])
	for n, i := range list[1:] {
		r := w.of.refs[i]
		at := int64(r.at)
		if at > end+warmGap || at+int64(r.size)-begin > warmBytes {
			return list[:n+1]
		}
		end = at + int64(r.size)
	}
	return list
}

// extent is where the bytes of a chunk begin and end.
func (w *Warming) extent(chunk []uint32) (begin, end int64) {
	first, last := w.of.refs[chunk[0]], w.of.refs[chunk[len(chunk)-1]]
	return int64(first.at), int64(last.at) + int64(last.size)
}

// prefetch has the system read a chunk meanwhile, if the file can.
func (w *Warming) prefetch(chunk []uint32) {
	if f, ok := w.of.from.(interface {
		Prefetch(offset, length int64) error
	}); ok {
		begin, end := w.extent(chunk)
		_ = f.Prefetch(begin, end-begin) // it is advice
	}
}

// readChunk reads a chunk; sound is false when something of it is not what was written.
func (w *Warming) readChunk(chunk []uint32) (n int64, sound bool) {
	begin, end := w.extent(chunk)
	w.buf = slices.Grow(w.buf[:0], int(end-begin))[:end-begin]
	generation := w.of.cache.generation.Load()
	if err := readFull(w.of.from, w.buf, begin); err != nil {
		return 0, false
	}
	for _, i := range chunk {
		r := w.of.refs[i]
		at := int64(r.at) - begin
		if _, err := checked(w.buf[at : at+int64(r.size)]); err != nil {
			return end - begin, false
		}
		w.of.noteSound(i, generation)
	}
	return end - begin, true
}
