package snapshot

import (
	"archive/tar"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"shoal/coordinator/backup/repository"
)

// ErrDamaged: the source is not a complete snapshot.
var ErrDamaged = repository.ErrDamaged

func damaged(format string, a ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, a...))
}

// maxManifest bounds the manifest; a stream takes about 100 bytes of it.
const maxManifest = 256 << 20

// walk calls visit with every stream in the order of the file. It skips what visit does not
// read. It returns the manifest.
func walk(ctx context.Context, file string, visit func(name string, content io.Reader) error) (_ *manifest, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return walkStream(ctx, f, visit)
}

func walkStream(ctx context.Context, in io.Reader, visit func(string, io.Reader) error) (*manifest, error) {
	z, err := zstd.NewReader(bufio.NewReaderSize(in, 1<<20), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return nil, damaged("%w", err)
	}
	defer z.Close()
	p := &parts{ctx: ctx, tar: tar.NewReader(z)}
	for p.next(); p.err == nil; {
		if p.name == manifestName {
			return p.manifest(z)
		}
		name := path.Dir(p.name)
		s := &streamReader{p: p, name: name}
		if err := visit(name, s); err != nil {
			return nil, err
		}
		if _, err := io.Copy(io.Discard, s); err != nil {
			return nil, err
		}
	}
	if errors.Is(p.err, io.EOF) {
		return nil, damaged("it has no end")
	}
	return nil, p.err
}

// parts walks over the entries of the file.
type parts struct {
	ctx  context.Context
	tar  *tar.Reader
	name string // of the current entry
	err  error
}

func (p *parts) next() {
	if p.err = p.ctx.Err(); p.err != nil {
		return
	}
	head, err := p.tar.Next()
	switch {
	case errors.Is(err, io.EOF):
		p.err = io.EOF
	case err != nil:
		p.err = damaged("%w", err)
	default:
		p.name = head.Name
	}
}

// manifest reads the last entry and then the file to its end.
func (p *parts) manifest(z io.Reader) (*manifest, error) {
	text, err := io.ReadAll(io.LimitReader(p.tar, maxManifest))
	if err != nil {
		return nil, damaged("manifest: %w", err)
	}
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, damaged("manifest: %w", err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("the snapshot has format %d, this version reads %d", m.Format, format)
	}
	if _, err := io.Copy(io.Discard, z); err != nil {
		return nil, damaged("%w", err)
	}
	return m, nil
}

// streamReader reads the parts of one stream, one after the other.
type streamReader struct {
	p    *parts
	name string
	part int
	done bool
}

func (s *streamReader) Read(b []byte) (int, error) {
	for !s.done {
		if want := s.name + "/" + number(s.part); s.p.name != want {
			s.done = true
			return 0, damaged("%s follows where %s should", s.p.name, want)
		}
		n, err := s.p.tar.Read(b)
		if n > 0 || len(b) == 0 {
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			s.done = true
			return 0, damaged("%s: %w", s.p.name, err)
		}
		s.part++
		s.p.next()
		switch {
		case errors.Is(s.p.err, io.EOF):
			s.done = true
		case s.p.err != nil:
			s.done = true
			return 0, s.p.err
		default:
			s.done = path.Dir(s.p.name) != s.name || s.p.name == manifestName
		}
	}
	return 0, io.EOF
}

func number(n int) string {
	text := strconv.Itoa(n)
	for len(text) < 8 {
		text = "0" + text
	}
	return text
}

// verify reads the file from its first to its last byte and checks every stream against the
// manifest.
func verify(ctx context.Context, file string) (*manifest, error) {
	var found []streamEntry
	m, err := walk(ctx, file, func(name string, content io.Reader) error {
		sum := xxhash.New()
		n, err := io.Copy(sum, content)
		found = append(found, streamEntry{Name: name, Bytes: n, Sum: sumText(sum)})
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(found) != len(m.Streams) {
		return nil, damaged("%d streams instead of %d", len(found), len(m.Streams))
	}
	for i := range found {
		if found[i] != m.Streams[i] {
			return nil, damaged("%s is not as the manifest says", found[i].Name)
		}
	}
	return m, nil
}
