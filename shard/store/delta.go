package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

const (
	// DeltaFormat is the version of Head and of the content after it, RowsFormat that of
	// a shard that numbers its documents without gaps. Former programs would take its
	// rows for ordinals.
	DeltaFormat, RowsFormat = 1, 2
)

// Limits are the sizes at which builds change their strategy. Tests set them low; the
// content of a delta does not depend on them.
type Limits struct {
	// SmallDelta is the largest size of the ops of a small delta, which is one value in
	// the store. A larger delta is table files in the staging folder.
	SmallDelta int
	// DeltaFile is the size at which a table file is closed.
	DeltaFile uint64
	// Records is the least size of a build's payloads at which records by row are
	// written directly to files of their own.
	Records int64
	// ChunkJobs and ChunkBytes bound the work that a worker takes at a time. Spill is
	// the least memory at which it spills.
	ChunkJobs, ChunkBytes, Spill int
}

// DefaultLimits are those of a node in production.
var DefaultLimits = Limits{
	SmallDelta: 4 << 20, DeltaFile: 32 << 20, Records: 8 << 20,
	ChunkJobs: 256, ChunkBytes: 256 << 10, Spill: 4 << 20,
}

// Head describes one delta: its base, its result and the location of its ops. The ops
// contain the shard's state after the delta, so installing them is sufficient.
type Head struct {
	Format int           `msgpack:"f"`
	Key    wire.ShardKey `msgpack:"k"`
	ID     string        `msgpack:"id"`
	Term   uint64        `msgpack:"t"`
	Base   uint64        `msgpack:"b"`
	// BaseID is the delta that led to the base, "" for an empty shard. A delta is only
	// installed on top of it.
	BaseID string `msgpack:"bi"`
	// Version is the version that the delta publishes, Base+1. Whole marks a copy,
	// which replaces everything in the shard.
	Version uint64 `msgpack:"v"`
	Whole   bool   `msgpack:"w"`
	// Drop lists key ranges that are deleted before the ops are applied.
	Drop []KeyRange `msgpack:"d"`
	// Rebuilt means that the ops do not spell out how words or documents changed (a new
	// generation, everything cleared). The state in memory must be read again.
	Rebuilt bool `msgpack:"r"`
	// Files are the table files of a large delta; nil for a small one.
	Files []FileInfo `msgpack:"fs"`
	Bytes int64      `msgpack:"n"`
	// Changed are the documents that a large delta changes, as a docset.Set; nil if
	// unknown. For a small delta its ops show them.
	Changed []byte `msgpack:"c,omitempty"`
	// Task, Attempt and LostFrom are those of the wire.BuildRequest.
	Task     *uint32 `msgpack:"tk,omitempty"`
	Attempt  uint64  `msgpack:"at,omitempty"`
	LostFrom uint64  `msgpack:"lf,omitempty"`
}

// Known reports whether this program reads the format of a head.
func (h *Head) Known() bool { return h.Format == DeltaFormat || h.Format == RowsFormat }

// FormatOf returns the format of a shard that numbers its documents without gaps, or not.
func FormatOf(rows bool) int {
	if rows {
		return RowsFormat
	}
	return DeltaFormat
}

// KeyRange is [Lo, Hi).
type KeyRange struct {
	Lo []byte `msgpack:"l"`
	Hi []byte `msgpack:"h"`
}

// FileInfo describes one table file of a delta.
type FileInfo struct {
	Size int64  `msgpack:"s"`
	Sum  uint64 `msgpack:"x"` // xxHash64 of the content
}

// StageName is the prefix of the names of a delta's files.
func StageName(key wire.ShardKey, id string) string {
	return fmt.Sprintf("%08x-%04x-%s", key.IndexID, key.Shard, id)
}

// DeltaPath returns the path of the i-th file of a large delta.
func (s *Store) DeltaPath(head *Head, i int) string {
	return s.StagePath(fmt.Sprintf("%s.%d.sst", StageName(head.Key, head.ID), i))
}

// DropFiles removes up to n files of a delta.
func (s *Store) DropFiles(head *Head, n int) error {
	var err error
	for i := range n {
		err = errors.Join(err, s.RemoveStaged(s.DeltaPath(head, i)))
	}
	return err
}

// NewSink returns a sink for a new delta.
func (s *Store) NewSink(head *Head, l Limits) *Sink {
	return &Sink{
		fs: s.FS, options: s.options, limits: l, drop: slices.Clone(head.Drop),
		name: func(i int) string { return s.DeltaPath(head, i) },
	}
}

// NewRecordSink returns a sink for the keys of one table of a delta. Join gives its
// files their numbers in the delta.
func (s *Store) NewRecordSink(head *Head, t Table, l Limits) *Sink {
	return &Sink{
		fs: s.FS, options: s.options, limits: l, Large: true,
		name: func(i int) string {
			return s.StagePath(fmt.Sprintf("%s.%c%d", StageName(head.Key, head.ID), t, i))
		},
	}
}

// Beside returns a sink for the remaining ops of a large delta. The given sinks have
// all keys of their tables.
func (s *Store) Beside(head *Head, records []*Sink, l Limits) *Sink {
	k := s.NewSink(head, l)
	k.Large = true
	for _, r := range records {
		if len(r.firsts) > 0 {
			k.ends = append(k.ends, r.firsts[0])
		}
	}
	slices.SortFunc(k.ends, bytes.Compare)
	return k
}

// Join finishes the sinks of a large delta, whose files do not overlap. It returns all
// files in key order, renamed to their names in the delta. After an error the caller
// must remove the files under either name, with DropFiles and Remove.
func (s *Store) Join(head *Head, all *Sink, records []*Sink) (files []FileInfo, size int64, err error) {
	type part struct {
		from  string
		first []byte
		info  FileInfo
	}
	var parts []part
	for _, k := range append(slices.Clone(records), all) {
		if k.w == nil && len(k.Files) == 0 && k != all {
			continue // nothing was added
		}
		if _, _, _, err := k.Finish(); err != nil {
			return nil, 0, err
		}
		for i, info := range k.Files {
			parts = append(parts, part{k.name(i), k.firsts[i], info})
		}
		size += k.bytes
	}
	slices.SortFunc(parts, func(a, b part) int { return bytes.Compare(a.first, b.first) })
	files = make([]FileInfo, len(parts))
	// Start with the last one, because a file that already has a name of the delta gets
	// a later one.
	for i := len(parts) - 1; i >= 0; i-- {
		files[i] = parts[i].info
		if to := s.DeltaPath(head, i); to != parts[i].from {
			if err := s.FS.Rename(parts[i].from, to); err != nil {
				return files, 0, err
			}
		}
	}
	return files, size, nil
}

// Remove ends the sink and removes its remaining files.
func (s *Sink) Remove() error {
	err := s.Abort()
	for i := range s.firsts {
		if e := s.fs.Remove(s.name(i)); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// Sink takes the ops of a delta in key order. It keeps a small delta in memory and
// writes a large one to table files. For one goroutine.
type Sink struct {
	fs      vfs.FS
	options *pebble.Options
	name    func(i int) string // path of the i-th file
	limits  Limits
	drop    []KeyRange // not yet written, ascending
	small   opEncoder
	Large   bool
	Files   []FileInfo
	w       *sstable.Writer
	out     *SummedFile
	bytes   int64
	table   Table    // of the last key
	firsts  [][]byte // first key of each file
	// ends are keys, ascending, at which a file must end because other sinks have files
	// there.
	ends [][]byte
}

// Add appends one op.
func (s *Sink) Add(o Op) error {
	if !s.Large {
		s.small.add(o)
		if len(s.small.buf) <= s.limits.SmallDelta {
			return nil
		}
		return s.spill()
	}
	return s.write(o)
}

// spill switches to table files.
func (s *Sink) spill() error {
	s.Large = true
	held := &OpDecoder{Rest: s.small.buf}
	for {
		o, ok, err := held.Next()
		if err != nil {
			return err
		}
		if !ok {
			s.small = opEncoder{}
			return nil
		}
		if err := s.write(o); err != nil {
			return err
		}
	}
}

func (s *Sink) write(o Op) error {
	if s.w != nil && s.cut(o.Key) {
		if err := s.closeFile(o.Key); err != nil {
			return err
		}
	}
	s.table = TableOf(o.Key)
	for len(s.ends) > 0 && bytes.Compare(o.Key, s.ends[0]) >= 0 {
		s.ends = s.ends[1:]
	}
	if s.w == nil {
		s.firsts = append(s.firsts, bytes.Clone(o.Key))
		if err := s.openFile(); err != nil {
			return err
		}
	}
	s.bytes += int64(len(o.Key) + len(o.Value))
	switch o.Kind {
	case OpSet:
		return s.w.Set(o.Key, o.Value)
	case OpDelete:
		return s.w.Delete(o.Key)
	default:
		return s.w.Merge(o.Key, o.Value)
	}
}

// apartBytes is the least size of a file that ends where records by row begin or
// end.
const apartBytes = 256 << 10

// cut reports whether the present file ends before a key.
func (s *Sink) cut(key []byte) bool {
	if len(s.ends) > 0 && bytes.Compare(key, s.ends[0]) >= 0 {
		return true
	}
	size := s.w.Raw().EstimatedSize()
	if t := TableOf(key); t != s.table && (byRow(t) || byRow(s.table)) {
		return size >= apartBytes
	}
	return size >= s.limits.DeltaFile
}

// byRow reports whether a table has one key per document, by row.
func byRow(t Table) bool {
	return t == TableDocument || t == TableTokens || t == TableValues || t == TableVector
}

func (s *Sink) openFile() error {
	f, err := s.fs.Create(s.name(len(s.Files)), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	s.out = &SummedFile{File: f}
	o := s.options.MakeWriterOptions(6, tableFormat)
	// The file may be ingested above others, so its deletions matter.
	o.WritingToLowestLevel = false
	s.w = sstable.NewWriter(objstorageprovider.NewFileWritable(s.out), o)
	return nil
}

// closeFile ends the present file, whose keys are all less than next (nil at the end).
// It includes its part of the ranges to drop.
func (s *Sink) closeFile(next []byte) error {
	for len(s.drop) > 0 {
		r := s.drop[0]
		if next != nil && string(r.Lo) >= string(next) {
			break
		}
		if next != nil && string(r.Hi) > string(next) {
			if err := s.w.DeleteRange(r.Lo, next); err != nil {
				return err
			}
			s.drop[0].Lo = append([]byte(nil), next...)
			break
		}
		if err := s.w.DeleteRange(r.Lo, r.Hi); err != nil {
			return err
		}
		s.drop = s.drop[1:]
	}
	if err := s.w.Close(); err != nil {
		return fmt.Errorf("shard: closing a delta file: %w", err)
	}
	s.Files = append(s.Files, FileInfo{Size: s.out.size, Sum: s.out.Sum.Sum64()})
	s.w, s.out = nil, nil
	return nil
}

// Finish completes the delta and returns its files, or its ops if it is small.
func (s *Sink) Finish() (files []FileInfo, ops []byte, size int64, err error) {
	if !s.Large {
		return nil, s.small.buf, int64(len(s.small.buf)), nil
	}
	if s.w == nil {
		return nil, nil, 0, errors.New("shard: a large delta without ops")
	}
	if err := s.closeFile(nil); err != nil {
		return nil, nil, 0, err
	}
	return s.Files, nil, s.bytes, nil
}

// Abort closes open files. The caller must remove them.
func (s *Sink) Abort() error {
	if s.w == nil {
		return nil
	}
	err := s.w.Close()
	s.w = nil
	return err
}

// SummedFile counts and hashes what is written.
type SummedFile struct {
	vfs.File
	size int64
	Sum  xxhash.Digest
}

// Write writes to the file, counts and hashes.
func (f *SummedFile) Write(b []byte) (int, error) {
	if f.size == 0 {
		f.Sum.Reset()
	}
	n, err := f.File.Write(b)
	f.size += int64(n)
	_, _ = f.Sum.Write(b[:n]) // a Digest never fails
	return n, err
}

const tableFormat = sstable.TableFormatPebblev6
