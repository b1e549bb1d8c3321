package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// An archive is a folder of files as one stream: what travels when a peer needs a
// whole snapshot. Layout, all numbers big-endian:
//
//	"SHOALSN1" . applied u64 . files u32
//	per file, by name: nameLen u16 . name . size u64 . bytes
//	xxhash64 of everything before
//
// applied is the state machine's own index, which can lie below the index of the
// raft snapshot (raft's own entries never reach the machine).
const (
	ArchiveMagic  = "SHOALSN1"
	archiveHeader = len(ArchiveMagic) + 8 + 4
	maxArchived   = 1 << 16 // files
)

// archive reads a folder as a stream. Its files are opened at once, so that the
// folder may be removed meanwhile.
type archive struct {
	parts []io.Reader
	files []vfs.File
	sum   *xxhash.Digest
	all   io.Reader
	Size  int64
}

// OpenArchive starts reading a folder.
func OpenArchive(fs vfs.FS, dir string, applied uint64) (*archive, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	a := &archive{sum: xxhash.New()}
	head := binary.BigEndian.AppendUint64([]byte(ArchiveMagic), applied)
	a.add(bytes.NewReader(binary.BigEndian.AppendUint32(head, uint32(len(names)))), int64(archiveHeader))
	for _, name := range names {
		if err := a.addFile(fs, dir, name); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	a.Size += 8
	a.all = io.MultiReader(io.TeeReader(io.MultiReader(a.parts...), a.sum), &trailer{sum: a.sum})
	return a, nil
}

func (a *archive) add(r io.Reader, size int64) {
	a.parts = append(a.parts, r)
	a.Size += size
}

func (a *archive) addFile(fs vfs.FS, dir, name string) error {
	f, err := fs.Open(fs.PathJoin(dir, name), vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	a.files = append(a.files, f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("unexpected folder %s in a checkpoint", name)
	}
	head := append(binary.BigEndian.AppendUint16(nil, uint16(len(name))), name...)
	head = binary.BigEndian.AppendUint64(head, uint64(info.Size()))
	a.add(bytes.NewReader(head), int64(len(head)))
	a.add(io.LimitReader(f, info.Size()), info.Size())
	return nil
}

func (a *archive) Read(p []byte) (int, error) { return a.all.Read(p) }

// Close closes the files.
func (a *archive) Close() error {
	var err error
	for _, f := range a.files {
		err = errors.Join(err, f.Close())
	}
	a.files = nil
	return err
}

// trailer yields the sum of what was read before it.
type trailer struct {
	sum  *xxhash.Digest
	rest []byte
	made bool
}

func (t *trailer) Read(p []byte) (int, error) {
	if !t.made {
		t.rest, t.made = binary.BigEndian.AppendUint64(nil, t.sum.Sum64()), true
	}
	if len(t.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// ErrArchive: a stream that is no archive, or a damaged one.
var ErrArchive = errors.New("damaged snapshot stream")

// Unpack writes the files of an archive into a new folder, durably, and returns
// the applied index it names. On an error the folder is the caller's to remove.
func Unpack(fs vfs.FS, dir string, stream io.Reader) (applied uint64, err error) {
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	sum := xxhash.New()
	in := io.TeeReader(stream, sum)
	head := make([]byte, archiveHeader)
	if _, err := io.ReadFull(in, head); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	files := binary.BigEndian.Uint32(head[len(ArchiveMagic)+8:])
	if string(head[:len(ArchiveMagic)]) != ArchiveMagic || files > maxArchived {
		return 0, ErrArchive
	}
	for range files {
		if err := unpackFile(fs, dir, in); err != nil {
			return 0, err
		}
	}
	want := sum.Sum64()
	end := make([]byte, 8)
	if _, err := io.ReadFull(stream, end); err != nil || binary.BigEndian.Uint64(end) != want {
		return 0, errors.Join(ErrArchive, err)
	}
	return binary.BigEndian.Uint64(head[len(ArchiveMagic):]), syncDir(fs, dir)
}

func unpackFile(fs vfs.FS, dir string, in io.Reader) error {
	var n [8]byte
	if _, err := io.ReadFull(in, n[:2]); err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	name := make([]byte, binary.BigEndian.Uint16(n[:2]))
	if _, err := io.ReadFull(in, name); err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if _, err := io.ReadFull(in, n[:]); err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if len(name) == 0 || strings.ContainsAny(string(name), `/\`) || string(name) == ".." || string(name) == "." {
		return fmt.Errorf("%w: file name %q", ErrArchive, name)
	}
	f, err := fs.Create(fs.PathJoin(dir, string(name)), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	size := int64(binary.BigEndian.Uint64(n[:]))
	if size < 0 {
		err = ErrArchive
	} else if _, err = io.CopyN(onlyWriter{f}, in, size); err == nil {
		err = f.Sync()
	} else if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrArchive, err)
	}
	return errors.Join(err, f.Close())
}

// onlyWriter hides other methods: vfs files may modify what they are given to
// write, which io.CopyN's own buffer allows.
type onlyWriter struct{ io.Writer }
