package dump

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/gzip"
)

// partial marks files of a dump that is not finished.
const partial = ".partial"

// compression is a level that keeps up with reading the shards. Readers accept any level.
const compression = 3

// archiveWriter writes a dump under a temporary name in its final folder. Finish renames it;
// Discard removes it. Not safe for concurrent use.
type archiveWriter struct {
	dir, name string
	at        time.Time
	file      *os.File
	buffer    *bufio.Writer
	gzip      *gzip.Writer
	tar       *tar.Writer
}

func newArchive(dir, name string, at time.Time) (_ *archiveWriter, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("folder of dumps: %w", err)
	}
	if err := sweepPartial(dir); err != nil {
		return nil, err
	}
	w := &archiveWriter{dir: dir, name: name, at: at}
	if w.file, err = os.CreateTemp(dir, "."+name+"-*"+partial); err != nil {
		return nil, fmt.Errorf("folder of dumps: %w", err)
	}
	w.buffer = bufio.NewWriterSize(w.file, 1<<20)
	if w.gzip, err = gzip.NewWriterLevel(w.buffer, compression); err != nil {
		return nil, errors.Join(err, w.Discard())
	}
	w.tar = tar.NewWriter(w.gzip)
	return w, nil
}

// sweepPartial removes the files of a dump whose node stopped.
func sweepPartial(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, ".*"+partial))
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// bytes writes a small file.
func (w *archiveWriter) bytes(name string, content []byte) error {
	if err := w.head(name, int64(len(content))); err != nil {
		return err
	}
	_, err := w.tar.Write(content)
	return err
}

func (w *archiveWriter) head(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: w.at})
}

func (w *archiveWriter) folder(name string) error {
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755, ModTime: w.at})
}

// json writes a small file of one JSON value.
func (w *archiveWriter) json(name string, v any) error {
	content, err := encode(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return w.bytes(name, content)
}

// stream writes a file of unknown size. A temporary file beside the dump takes the content of
// fill first, because an archive states the size before the content.
func (w *archiveWriter) stream(name string, fill func(out io.Writer) error) (err error) {
	f, err := os.CreateTemp(w.dir, ".entry-*"+partial)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	buffered := bufio.NewWriterSize(f, 256<<10)
	if err := fill(buffered); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.head(name, size); err != nil {
		return err
	}
	_, err = io.CopyN(w.tar, f, size)
	return err
}

// Finish completes the file and renames it durably.
func (w *archiveWriter) Finish() (path string, err error) {
	for _, step := range []func() error{w.tar.Close, w.gzip.Close, w.buffer.Flush, w.file.Sync, w.file.Close} {
		if err := step(); err != nil {
			return "", errors.Join(err, w.Discard())
		}
	}
	path = filepath.Join(w.dir, w.name)
	if err := os.Rename(w.file.Name(), path); err != nil {
		return "", errors.Join(err, os.Remove(w.file.Name()))
	}
	return path, syncFolder(w.dir)
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Discard removes the unfinished file.
func (w *archiveWriter) Discard() error {
	err := w.file.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(w.file.Name()))
}

// oneLine replaces line breaks in JSON text by blanks, so that it fits one line.
func oneLine(text []byte) []byte {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}
