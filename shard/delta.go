package shard

import (
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

const (
	// deltaFormat is the version of deltaHead and of what follows it.
	deltaFormat = 1
)

// limits are the sizes at which builds change their ways. Tests set them low;
// the delta's content does not depend on them.
type limits struct {
	// smallDelta is the size of the ops up to which a delta is one value in the
	// store; larger ones are table files in the staging folder.
	smallDelta int
	// deltaFile is the size at which a table file is closed.
	deltaFile uint64
	// chunkJobs and chunkBytes bound what a worker gets at a time, spill what it
	// holds at least before it spills.
	chunkJobs, chunkBytes, spill int
}

var defaultLimits = limits{
	smallDelta: 4 << 20, deltaFile: 32 << 20,
	chunkJobs: 256, chunkBytes: 256 << 10, spill: 4 << 20,
}

// deltaHead describes one delta: what it leads from and to and where its ops
// are. The ops contain the shard's state after the delta (see state.go), so that
// installing them is all there is to do.
type deltaHead struct {
	Format int           `msgpack:"f"`
	Key    wire.ShardKey `msgpack:"k"`
	ID     string        `msgpack:"id"`
	Term   uint64        `msgpack:"t"`
	Base   uint64        `msgpack:"b"`
	// BaseID is the delta that led to the base, "" for an empty shard: a delta is
	// only installed on top of it.
	BaseID string `msgpack:"bi"`
	// Version is the version that the delta publishes, Base+1. Whole marks a copy:
	// it replaces whatever the shard holds.
	Version uint64 `msgpack:"v"`
	Whole   bool   `msgpack:"w"`
	// Drop lists key ranges that are deleted before the ops are applied.
	Drop []keyRange `msgpack:"d"`
	// Rebuilt tells that words or documents changed in ways that the ops do not
	// spell out (a new generation, everything cleared): what is kept in memory has
	// to be read again.
	Rebuilt bool `msgpack:"r"`
	// Files are the table files of a large delta; nil for a small one.
	Files []deltaFileInfo `msgpack:"fs"`
	Bytes int64           `msgpack:"n"`
	// Changed are the documents that a large delta changes, as a docset.Set; nil when
	// that is not told. The ops of a small one tell.
	Changed []byte `msgpack:"c,omitempty"`
}

// keyRange is [Lo, Hi).
type keyRange struct {
	Lo []byte `msgpack:"l"`
	Hi []byte `msgpack:"h"`
}

type deltaFileInfo struct {
	Size int64  `msgpack:"s"`
	Sum  uint64 `msgpack:"x"` // xxHash64 of the content
}

// deltaSink takes the ops of a delta in key order. It keeps them as one piece
// while that is small and writes table files otherwise. For one goroutine.
type deltaSink struct {
	fs      vfs.FS
	options *pebble.Options
	name    func(i int) string // path of the i-th file
	limits  limits
	drop    []keyRange // not yet written, ascending
	small   opEncoder
	large   bool
	files   []deltaFileInfo
	w       *sstable.Writer
	out     *summedFile
	bytes   int64
}

// add appends one op.
func (s *deltaSink) add(o op) error {
	if !s.large {
		s.small.add(o)
		if len(s.small.buf) <= s.limits.smallDelta {
			return nil
		}
		return s.spill()
	}
	return s.write(o)
}

// spill moves to table files.
func (s *deltaSink) spill() error {
	s.large = true
	held := &opDecoder{rest: s.small.buf}
	for {
		o, ok, err := held.next()
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

func (s *deltaSink) write(o op) error {
	if s.w != nil && s.w.Raw().EstimatedSize() >= s.limits.deltaFile {
		if err := s.closeFile(o.key); err != nil {
			return err
		}
	}
	if s.w == nil {
		if err := s.openFile(); err != nil {
			return err
		}
	}
	s.bytes += int64(len(o.key) + len(o.value))
	switch o.kind {
	case opSet:
		return s.w.Set(o.key, o.value)
	case opDelete:
		return s.w.Delete(o.key)
	default:
		return s.w.Merge(o.key, o.value)
	}
}

func (s *deltaSink) openFile() error {
	f, err := s.fs.Create(s.name(len(s.files)), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	s.out = &summedFile{File: f}
	o := s.options.MakeWriterOptions(6, tableFormat)
	// The file may come to lie above others: its deletions count.
	o.WritingToLowestLevel = false
	s.w = sstable.NewWriter(objstorageprovider.NewFileWritable(s.out), o)
	return nil
}

// closeFile ends the current file, whose keys all lie below next (nil: at the
// end), with the part of the ranges to drop that belongs to it.
func (s *deltaSink) closeFile(next []byte) error {
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
	s.files = append(s.files, deltaFileInfo{Size: s.out.size, Sum: s.out.sum.Sum64()})
	s.w, s.out = nil, nil
	return nil
}

// finish completes the delta and returns its files, or its ops when it is small.
func (s *deltaSink) finish() (files []deltaFileInfo, ops []byte, size int64, err error) {
	if !s.large {
		return nil, s.small.buf, int64(len(s.small.buf)), nil
	}
	if s.w == nil {
		return nil, nil, 0, errors.New("shard: a large delta without ops")
	}
	if err := s.closeFile(nil); err != nil {
		return nil, nil, 0, err
	}
	return s.files, nil, s.bytes, nil
}

// abort closes what is open; the files are the caller's to remove.
func (s *deltaSink) abort() error {
	if s.w == nil {
		return nil
	}
	err := s.w.Close()
	s.w = nil
	return err
}

// summedFile counts and hashes what is written.
type summedFile struct {
	vfs.File
	size int64
	sum  xxhash.Digest
}

func (f *summedFile) Write(b []byte) (int, error) {
	if f.size == 0 {
		f.sum.Reset()
	}
	n, err := f.File.Write(b)
	f.size += int64(n)
	_, _ = f.sum.Write(b[:n]) // a Digest never fails
	return n, err
}

const tableFormat = sstable.TableFormatPebblev6
