package shard

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

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
	shipMagic   = "SHD"
	shipVersion = 1
	maxShipHead = 64 << 20
	maxShipOps  = 64 << 20
	// shipBuffer buffers the small fields. Larger reads bypass it.
	shipBuffer = 16 << 10
)

func writeShipHead(w io.Writer, head *store.Head) error {
	raw, err := wire.Marshal(head)
	if err != nil {
		return err
	}
	buf := append(make([]byte, 0, len(raw)+20), shipMagic...)
	buf = append(buf, shipVersion)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(raw)))
	buf = append(buf, raw...)
	buf = binary.LittleEndian.AppendUint64(buf, xxhash.Sum64(raw))
	_, err = w.Write(buf)
	return err
}

func readShipHead(r io.Reader) (head store.Head, err error) {
	var fixed [8]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return head, err
	}
	size := binary.LittleEndian.Uint32(fixed[4:])
	if string(fixed[:3]) != shipMagic || fixed[3] != shipVersion || size > maxShipHead {
		return head, fmt.Errorf("shard: not a shipped delta: %w", store.ErrCorruptValue)
	}
	raw, err := readSummed(r, int(size))
	if err != nil {
		return head, err
	}
	if err := wire.Unmarshal(raw, &head); err != nil {
		return head, fmt.Errorf("shard: shipped delta: %w", err)
	}
	if !head.Known() || !validID(head.ID) {
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

// Send writes a pending or kept delta for another node's Receive. The error is
// wire.ErrGone if the delta is not here.
func (h *Host) Send(ref *wire.PendingRef, w io.Writer) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	r, err := h.replica(ref.Key)
	if err != nil {
		return err
	}
	r.mu.Lock()
	p := r.pending[ref.DeltaID]
	r.mu.Unlock()
	if p == nil {
		return fmt.Errorf("shard %v: delta %s: %w", ref.Key, ref.DeltaID, wire.ErrGone)
	}
	return r.send(p.head.Version, p.head.ID, w)
}

func (r *replica) send(version uint64, id string, w io.Writer) error {
	head, ops, err := r.readPending(version, id)
	if err != nil {
		return err
	}
	if err := writeShipHead(w, &head); err != nil {
		return err
	}
	if len(head.Files) == 0 {
		buf := binary.LittleEndian.AppendUint64(nil, uint64(len(ops)))
		buf = append(buf, ops...)
		_, err := w.Write(binary.LittleEndian.AppendUint64(buf, xxhash.Sum64(ops)))
		return err
	}
	for i := range head.Files {
		f, err := r.host.store.FS.Open(r.host.store.DeltaPath(&head, i))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("shard %v: the files of delta %s: %w", r.key, id, wire.ErrGone)
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

// Receive reads the output of another node's Send or SendCopy. When it returns, a delta
// is durable as pending, and a copy is in effect. A delta that is already here is read
// and ignored.
func (h *Host) Receive(in io.Reader) (wire.PendingRef, error) {
	if err := h.enter(); err != nil {
		return wire.PendingRef{}, err
	}
	defer h.leave()
	br := bufio.NewReaderSize(in, shipBuffer)
	head, err := readShipHead(br)
	if err != nil {
		return wire.PendingRef{}, err
	}
	ref := wire.PendingRef{Key: head.Key, Term: head.Term, Base: head.Base, DeltaID: head.ID}
	r, err := h.replica(head.Key)
	if _, damaged := h.damages.of(head.Key); damaged && !head.Whole {
		err = cmp.Or(err, h.refusal(head.Key))
	} else if damaged {
		err = nil // the copy replaces it
	}
	if err != nil {
		return ref, err
	}
	if head.Whole {
		return ref, r.receiveCopy(&head, br)
	}
	if r.holds(head.ID) {
		_, err := io.Copy(io.Discard, br)
		return ref, err
	}
	return ref, r.receive(&head, br)
}

func (r *replica) receive(head *store.Head, in io.Reader) error {
	if len(head.Files) == 0 {
		var size [8]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return store.NoEOF(err)
		}
		n := binary.LittleEndian.Uint64(size[:])
		if n > maxShipOps {
			return fmt.Errorf("shard: a small delta of %d bytes: %w", n, store.ErrCorruptValue)
		}
		ops, err := readSummed(in, int(n))
		if err != nil {
			return err
		}
		return r.keep(head, ops)
	}
	for i, want := range head.Files {
		if err := r.receiveFile(in, r.host.store.DeltaPath(head, i), want); err != nil {
			return errors.Join(err, r.host.store.DropFiles(head, i+1))
		}
	}
	err := r.keep(head, nil)
	if err != nil {
		err = errors.Join(err, r.host.store.DropFiles(head, len(head.Files)))
	}
	return err
}

func (r *replica) receiveFile(in io.Reader, path string, want store.FileInfo) error {
	f, err := r.host.store.FS.Create(path, vfs.WriteCategoryUnspecified)
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
