package sim

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/cluster-test/model"
)

// fileLog is the log of the Raft group on a simulated disk, in the place of bbolt, which
// needs a file that the system maps into memory. One file of records, each with its
// checksum; what returned is synced.
type fileLog struct {
	latency  func() // of a sync
	careless bool   // a planted defect: it does not sync
	seen     *witness

	writing sync.Mutex // held while a record is written and synced
	mu      sync.Mutex
	f       vfs.File
	state   logState
}

// logState is what the records make.
type logState struct {
	entries     map[uint64]*raft.Log
	first, last uint64
	stable      map[string][]byte
}

// Kinds of records.
const (
	recordEntry byte = iota
	recordDelete
	recordStable
)

var errNotFound = errors.New("not found") // raft knows it by this text

// openLog reads the log of a folder up to the first record that is not whole, and writes
// it anew.
func openLog(disk vfs.FS, dir string, latency func(), careless bool, seen *witness) (*fileLog, error) {
	l := &fileLog{latency: latency, careless: careless, seen: seen, state: logState{entries: map[uint64]*raft.Log{}, stable: map[string][]byte{}}}
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path, fresh := disk.PathJoin(dir, "raft.log"), disk.PathJoin(dir, "raft.log.new")
	in, err := disk.Open(path)
	if err == nil {
		var b []byte
		b, err = io.ReadAll(in)
		l.state.replay(b)
		err = errors.Join(err, in.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if l.f, err = disk.Create(fresh, vfs.WriteCategoryUnspecified); err != nil {
		return nil, err
	}
	_, err = l.f.Write(l.state.records())
	if err == nil {
		err = errors.Join(l.f.Sync(), disk.Rename(fresh, path))
	}
	for _, d := range []string{dir, disk.PathDir(dir)} {
		if err == nil {
			err = syncDir(disk, d)
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.f.Close())
	}
	seen.started(&l.state)
	return l, nil
}

func syncDir(disk vfs.FS, dir string) error {
	d, err := disk.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// record frames a body.
func record(kind byte, body []byte) []byte {
	b := make([]byte, 0, 9+len(body))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(append([]byte{kind}, body...)))
	return append(append(b, kind), body...)
}

func entryRecord(e *raft.Log) []byte {
	b := binary.LittleEndian.AppendUint64(nil, e.Index)
	b = binary.LittleEndian.AppendUint64(b, e.Term)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.AppendedAt.UnixNano()))
	b = append(b, byte(e.Type))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(e.Extensions)))
	b = append(b, e.Extensions...)
	return record(recordEntry, append(b, e.Data...))
}

func stableRecord(key string, value []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(key)))
	return record(recordStable, append(append(b, key...), value...))
}

func (s *logState) records() (all []byte) {
	for key, value := range s.stable {
		all = append(all, stableRecord(key, value)...)
	}
	for i := s.first; i <= s.last && s.last > 0; i++ {
		all = append(all, entryRecord(s.entries[i])...)
	}
	return all
}

func (s *logState) replay(b []byte) {
	for len(b) >= 9 {
		n := int(binary.LittleEndian.Uint32(b))
		if len(b) < 9+n || crc32.ChecksumIEEE(b[8:9+n]) != binary.LittleEndian.Uint32(b[4:]) {
			return
		}
		s.apply(b[8], b[9:9+n])
		b = b[9+n:]
	}
}

func (s *logState) apply(kind byte, b []byte) {
	le := binary.LittleEndian
	switch kind {
	case recordEntry:
		n := 29 + int(le.Uint32(b[25:]))
		s.put(&raft.Log{
			Index: le.Uint64(b), Term: le.Uint64(b[8:]), AppendedAt: time.Unix(0, int64(le.Uint64(b[16:]))), Type: raft.LogType(b[24]),
			Extensions: append([]byte(nil), b[29:n]...), Data: append([]byte(nil), b[n:]...),
		})
	case recordDelete:
		s.drop(le.Uint64(b), le.Uint64(b[8:]))
	case recordStable:
		n := 4 + int(le.Uint32(b))
		s.stable[string(b[4:n])] = append([]byte(nil), b[n:]...)
	}
}

func (s *logState) put(e *raft.Log) {
	s.entries[e.Index] = e
	if s.first == 0 {
		s.first = e.Index
	}
	s.last = max(s.last, e.Index)
}

func (s *logState) drop(from, to uint64) {
	for i := from; i <= to; i++ {
		delete(s.entries, i)
	}
	if from <= s.first {
		s.first = to + 1
	}
	if to >= s.last {
		s.last = from - 1
	}
	if s.first > s.last {
		s.first, s.last = 0, 0
	}
}

// write makes records durable, then visible.
func (l *fileLog) write(b []byte, show func(s *logState)) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if _, err := l.f.Write(b); err != nil {
		return err
	}
	if !l.careless {
		if err := l.f.Sync(); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	show(&l.state)
	return nil
}

func (l *fileLog) FirstIndex() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.first, nil
}

func (l *fileLog) LastIndex() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.last, nil
}

func (l *fileLog) GetLog(index uint64, into *raft.Log) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.state.entries[index]
	if e == nil {
		return raft.ErrLogNotFound
	}
	*into = *e
	return nil
}

func (l *fileLog) StoreLog(e *raft.Log) error { return l.StoreLogs([]*raft.Log{e}) }

func (l *fileLog) StoreLogs(list []*raft.Log) error {
	var b []byte
	for _, e := range list {
		b = append(b, entryRecord(e)...)
	}
	l.latency()
	return l.write(b, func(s *logState) {
		for _, e := range list {
			kept := *e
			s.put(&kept)
		}
		l.seen.stored(list)
	})
}

func (l *fileLog) DeleteRange(from, to uint64) error {
	b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, from), to)
	return l.write(record(recordDelete, b), func(s *logState) {
		l.seen.tell(model.Event{Kind: model.Deleted, Index: from, Last: to})
		s.drop(from, to)
	})
}

func (l *fileLog) Set(key, value []byte) error {
	return l.write(stableRecord(string(key), value), func(s *logState) {
		s.stable[string(key)] = append([]byte(nil), value...)
		l.seen.kept(string(key), value, s)
	})
}

func (l *fileLog) Get(key []byte) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.state.stable[string(key)]
	if !ok {
		return nil, errNotFound
	}
	return v, nil
}

func (l *fileLog) SetUint64(key []byte, value uint64) error {
	return l.Set(key, binary.BigEndian.AppendUint64(nil, value))
}

func (l *fileLog) GetUint64(key []byte) (uint64, error) {
	v, err := l.Get(key)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(v), nil
}

func (l *fileLog) Close() error { return l.f.Close() }
