package ingest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// distinctRun bounds the ids in memory (8 MiB). More ids go to disk in sorted runs.
const distinctRun = 1 << 20

// distinct counts different ids by their 64-bit hashes, in constant memory: it writes sorted
// runs to a temporary file and merges them at the end. Two different ids count as one with a
// probability of n*n/2^65.
type distinct struct {
	dir  string
	run  []uint64
	file *os.File
	ends []int64 // end offset of each run
	max  int
}

func newDistinct(dir string) *distinct { return &distinct{dir: dir, max: distinctRun} }

func (d *distinct) add(id []byte) error {
	d.run = append(d.run, xxhash.Sum64(id))
	if len(d.run) >= d.max {
		return d.spill()
	}
	return nil
}

// spill sorts the run and writes it out unless it shrank by half.
func (d *distinct) spill() error {
	d.sort()
	if len(d.run) <= d.max/2 {
		return nil
	}
	if d.file == nil {
		f, err := os.CreateTemp(d.dir, "ids-*")
		if err != nil {
			return err
		}
		d.file = f
	}
	w := bufio.NewWriterSize(d.file, 64<<10)
	var b [8]byte
	for _, h := range d.run {
		binary.LittleEndian.PutUint64(b[:], h)
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	end := int64(8 * len(d.run))
	if n := len(d.ends); n > 0 {
		end += d.ends[n-1]
	}
	d.ends = append(d.ends, end)
	d.run = d.run[:0]
	return nil
}

func (d *distinct) sort() {
	slices.Sort(d.run)
	d.run = slices.Compact(d.run)
}

// count returns the number of different ids added.
func (d *distinct) count() (uint64, error) {
	d.sort()
	if len(d.ends) == 0 {
		return uint64(len(d.run)), nil
	}
	runs := make([]hashRun, 0, len(d.ends)+1)
	from := int64(0)
	for _, end := range d.ends {
		r := bufio.NewReaderSize(io.NewSectionReader(d.file, from, end-from), 32<<10)
		runs = append(runs, hashRun{r: r, left: int(end-from) / 8})
		from = end
	}
	runs = append(runs, hashRun{mem: d.run, left: len(d.run)})
	for i := range runs {
		if err := runs[i].next(); err != nil {
			return 0, err
		}
	}
	var n uint64
	for {
		best, any := uint64(0), false
		for i := range runs {
			if !runs[i].done && (!any || runs[i].head < best) {
				best, any = runs[i].head, true
			}
		}
		if !any {
			return n, nil
		}
		n++
		for i := range runs {
			for !runs[i].done && runs[i].head == best {
				if err := runs[i].next(); err != nil {
					return 0, err
				}
			}
		}
	}
}

// hashRun reads one sorted run.
type hashRun struct {
	r    *bufio.Reader
	mem  []uint64
	left int
	head uint64
	done bool
}

func (h *hashRun) next() error {
	if h.left == 0 {
		h.done = true
		return nil
	}
	h.left--
	if h.r == nil {
		h.head = h.mem[0]
		h.mem = h.mem[1:]
		return nil
	}
	var b [8]byte
	if _, err := io.ReadFull(h.r, b[:]); err != nil {
		return fmt.Errorf("ids of a payload: %w", err)
	}
	h.head = binary.LittleEndian.Uint64(b[:])
	return nil
}

// Close removes the temporary file.
func (d *distinct) Close() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	if e := os.Remove(d.file.Name()); err == nil {
		err = e
	}
	d.file = nil
	return err
}
