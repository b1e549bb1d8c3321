package shipment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
	"shoal/wire"
)

// A shipped delta is
//
//	"SHD" version(1) headLen(4) head sum(8)
//	then for a small delta: opsLen(8) ops sum(8)
//	for a large one: its files, one after the other (sizes and sums in the head)
//	for a copy: a run (see package store)
//
// All integers are little-endian. Sums are xxHash64.
const (
	magic       = "SHD"
	formVersion = 1
	maxHead     = 64 << 20
	maxOps      = 64 << 20
)

// WriteHead begins a delta or a copy.
func WriteHead(w io.Writer, head *store.Head) error {
	raw, err := wire.Marshal(head)
	if err != nil {
		return err
	}
	buf := append(make([]byte, 0, len(raw)+20), magic...)
	buf = append(buf, formVersion)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(raw)))
	buf = append(buf, raw...)
	buf = binary.LittleEndian.AppendUint64(buf, xxhash.Sum64(raw))
	_, err = w.Write(buf)
	return err
}

// ReadHead reads what WriteHead wrote. It refuses heads of unknown formats.
func ReadHead(r io.Reader) (head store.Head, err error) {
	var fixed [8]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return head, err
	}
	size := binary.LittleEndian.Uint32(fixed[4:])
	if string(fixed[:3]) != magic || fixed[3] != formVersion || size > maxHead {
		return head, fmt.Errorf("shard: not a shipped delta: %w", store.ErrCorruptValue)
	}
	raw, err := readSummed(r, int(size))
	if err != nil {
		return head, err
	}
	if err := wire.Unmarshal(raw, &head); err != nil {
		return head, fmt.Errorf("shard: shipped delta: %w", err)
	}
	if !head.Known() || !ValidID(head.ID) {
		return head, fmt.Errorf("shard: shipped delta %q of format %d: %w", head.ID, head.Format, store.ErrCorruptValue)
	}
	return head, nil
}

// readSummed reads size bytes and verifies the checksum that follows.
func readSummed(r io.Reader, size int) ([]byte, error) {
	raw, err := store.ReadAtMost(r, nil, size)
	if err != nil {
		return nil, store.NoEOF(err)
	}
	var sum [8]byte
	if _, err := io.ReadFull(r, sum[:]); err != nil {
		return nil, store.NoEOF(err)
	}
	if binary.LittleEndian.Uint64(sum[:]) != xxhash.Sum64(raw) {
		return nil, fmt.Errorf("shard: checksum of a shipped delta: %w", store.ErrCorruptValue)
	}
	return raw, nil
}

// WriteOps ends a small delta.
func WriteOps(w io.Writer, ops []byte) error {
	buf := binary.LittleEndian.AppendUint64(nil, uint64(len(ops)))
	buf = append(buf, ops...)
	_, err := w.Write(binary.LittleEndian.AppendUint64(buf, xxhash.Sum64(ops)))
	return err
}

// ReadOps reads what WriteOps wrote. The caller owns the result.
func ReadOps(in io.Reader) ([]byte, error) {
	var size [8]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, store.NoEOF(err)
	}
	n := binary.LittleEndian.Uint64(size[:])
	if n > maxOps {
		return nil, fmt.Errorf("shard: a small delta of %d bytes: %w", n, store.ErrCorruptValue)
	}
	return readSummed(in, int(n))
}

// WriteFiles ends a large delta, whose files s has. The error is wire.ErrGone if they
// were removed.
func WriteFiles(w io.Writer, s *store.Store, head *store.Head) error {
	for i := range head.Files {
		f, err := s.FS.Open(s.DeltaPath(head, i))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("shard %v: the files of delta %s: %w", head.Key, head.ID, wire.ErrGone)
		}
		if err != nil {
			return err
		}
		_, err = io.Copy(w, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// ReadFiles reads what WriteFiles wrote into the staging folder of s and syncs each
// file. After an error it leaves none.
func ReadFiles(in io.Reader, s *store.Store, head *store.Head) error {
	for i, want := range head.Files {
		if err := readFile(in, s, s.DeltaPath(head, i), want); err != nil {
			return errors.Join(err, s.DropFiles(head, i+1))
		}
	}
	return nil
}

func readFile(in io.Reader, s *store.Store, path string, want store.FileInfo) error {
	f, err := s.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	out := &store.SummedFile{File: f}
	n, err := io.CopyN(out, in, want.Size)
	if err == nil && (n != want.Size || out.Sum.Sum64() != want.Sum) {
		err = fmt.Errorf("shard: checksum of a shipped file: %w", store.ErrCorruptValue)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(store.NoEOF(err), f.Close())
}

// ValidID reports whether a delta id may be part of a file name.
func ValidID(id string) bool {
	return id != "" && len(id) <= 128 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}
