package snapshot

import (
	"archive/tar"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

const (
	partBytes    = 4 << 20
	manifestName = "manifest.json"
	// format rises when older programs cannot read the new form.
	format  = 1
	partial = ".partial"
)

// manifest is the last entry of a snapshot.
type manifest struct {
	Format  int           `json:"format"`
	Cluster string        `json:"cluster"`
	Taken   time.Time     `json:"taken"`
	Streams []streamEntry `json:"streams"`
}

type streamEntry struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Sum   string `json:"xxhash64"`
}

// container writes a snapshot beside its final path. Finish or Discard ends it. Not safe for
// concurrent use.
type container struct {
	path   string
	file   *os.File
	buffer *bufio.Writer
	zstd   *zstd.Encoder
	tar    *tar.Writer
	list   manifest
	part   []byte
}

func newContainer(path, cluster string, at time.Time) (_ *container, err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of snapshots: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(dir, "."+filepath.Base(path)+"-*"+partial))
	for _, name := range old { // left by a node that stopped
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		return nil, fmt.Errorf("folder of snapshots: %w", err)
	}
	c := &container{path: path, list: manifest{Format: format, Cluster: cluster, Taken: at}, part: make([]byte, 0, partBytes)}
	if c.file, err = os.CreateTemp(dir, "."+filepath.Base(path)+"-*"+partial); err != nil {
		return nil, fmt.Errorf("folder of snapshots: %w", err)
	}
	c.buffer = bufio.NewWriterSize(c.file, 1<<20)
	if c.zstd, err = zstd.NewWriter(c.buffer, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, errors.Join(err, c.Discard())
	}
	c.tar = tar.NewWriter(c.zstd)
	return c, nil
}

// Reuse implements output. A file is self-contained and reuses nothing.
func (c *container) Reuse(string, string) bool { return false }

// Stream implements output.
func (c *container) Stream(name, _ string, fill func(out io.Writer) error) error {
	w := &streamWriter{c: c, name: name, sum: xxhash.New()}
	c.part = c.part[:0]
	err := fill(w)
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.list.Streams = append(c.list.Streams, streamEntry{Name: name, Bytes: w.bytes, Sum: sumText(w.sum)})
	return nil
}

func sumText(h hash.Hash64) string { return fmt.Sprintf("%016x", h.Sum64()) }

// streamWriter cuts a stream into parts.
type streamWriter struct {
	c     *container
	name  string
	parts int
	bytes int64
	sum   hash.Hash64
}

func (w *streamWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), partBytes-len(w.c.part))
		w.c.part, p = append(w.c.part, p[:k]...), p[k:]
		if len(w.c.part) == partBytes {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// flush writes the current part. A stream has at least one.
func (w *streamWriter) flush() error {
	if len(w.c.part) == 0 && w.parts > 0 {
		return nil
	}
	if err := w.c.entry(fmt.Sprintf("%s/%08d", w.name, w.parts), w.c.part); err != nil {
		return err
	}
	_, _ = w.sum.Write(w.c.part) // a hash never fails
	w.bytes += int64(len(w.c.part))
	w.parts++
	w.c.part = w.c.part[:0]
	return nil
}

func (c *container) entry(name string, content []byte) error {
	if err := c.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o400, ModTime: c.list.Taken}); err != nil {
		return err
	}
	_, err := c.tar.Write(content)
	return err
}

// Finish writes the manifest and renames the file durably, replacing an older snapshot.
func (c *container) Finish() error {
	text, err := json.Marshal(&c.list)
	if err == nil {
		err = c.entry(manifestName, text)
	}
	for _, step := range []func() error{
		c.tar.Close, c.zstd.Close, c.buffer.Flush, func() error { return c.file.Chmod(0o400) }, c.file.Sync, c.file.Close,
		func() error { return os.Rename(c.file.Name(), c.path) },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return errors.Join(err, c.Discard())
	}
	dir, err := os.Open(filepath.Dir(c.path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Discard removes the unfinished file.
func (c *container) Discard() error {
	err := c.file.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(c.file.Name()))
}
