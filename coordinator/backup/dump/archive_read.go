package dump

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// ErrDamaged: the file is not a complete dump.
var ErrDamaged = errors.New("damaged dump")

func damaged(format string, a ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, a...))
}

// Bounds of content that is held in memory.
const (
	maxSmall = 256 << 20 // one of the small JSON files
	maxLine  = 256 << 20 // one line of a .jsonl file that is not documents
)

// entry is one file of an archive. Its content can be read once, during the walk.
type entry struct {
	name string // relative, cleaned
	size int64
	r    io.Reader
}

// walk calls visit with every file of an archive in archive order. It reads the archive to its
// end even if visit does not, so that checksums are checked. It skips folders, hidden files of
// other systems, and names that lead outside.
func walk(ctx context.Context, file string, visit func(*entry) error) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return walkStream(ctx, f, visit)
}

func walkStream(ctx context.Context, in io.Reader, visit func(*entry) error) error {
	unpacked, err := gzip.NewReader(bufio.NewReaderSize(&guarded{ctx, in}, 1<<20))
	if err != nil {
		return readError(ctx, err)
	}
	archive := tar.NewReader(unpacked)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return readError(ctx, err)
		}
		name, ok := entryName(head)
		if !ok {
			continue
		}
		if err := visit(&entry{name: name, size: head.Size, r: archive}); err != nil {
			var other *formatError
			if errors.As(err, &other) { // a damaged archive may show a wrong format, so check the sum first
				if _, bad := io.Copy(io.Discard, unpacked); bad != nil {
					return readError(ctx, bad)
				}
			}
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	// The gzip checksum follows the end of the tar.
	if _, err := io.Copy(io.Discard, unpacked); err != nil {
		return readError(ctx, err)
	}
	return nil
}

func readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return damaged("%w", err)
}

func entryName(head *tar.Header) (string, bool) {
	if head.Typeflag != tar.TypeReg {
		return "", false
	}
	name := path.Clean(strings.TrimPrefix(head.Name, "./"))
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(path.Base(name), "._") {
		return "", false
	}
	return name, true
}

// guarded is a reader that ends with its context.
type guarded struct {
	ctx context.Context
	r   io.Reader
}

func (g *guarded) Read(p []byte) (int, error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	return g.r.Read(p)
}

// small reads a whole entry.
func (e *entry) small() ([]byte, error) {
	if e.size > maxSmall {
		return nil, damaged("%s has %d bytes", e.name, e.size)
	}
	data, err := io.ReadAll(e.r)
	if err != nil {
		return nil, damaged("%s: %w", e.name, err)
	}
	return data, nil
}

// lines calls visit with every line that is not blank. The slice is valid during the call.
func (e *entry) lines(visit func(line []byte) error) error {
	r := bufio.NewReaderSize(e.r, 64<<10)
	var long []byte
	for n := 1; ; {
		part, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if long = append(long, part...); len(long) > maxLine {
				return damaged("%s: line %d has more than %d bytes", e.name, n, maxLine)
			}
			continue
		}
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return damaged("%s: line %d: %w", e.name, n, err)
		}
		line := part
		if len(long) > 0 {
			line = append(long, part...)
		}
		if line := bytes.TrimSpace(line); len(line) > 0 {
			if visitErr := visit(line); visitErr != nil {
				return fmt.Errorf("%s: line %d: %w", e.name, n, visitErr)
			}
		}
		if last {
			return nil
		}
		long = long[:0]
		n++
	}
}

// chunkBytes is about the size of one upload of a .jsonl file of documents.
const chunkBytes = 32 << 20

// chunks calls visit with the content of an entry in pieces of whole lines. It stops at the
// first error.
func (e *entry) chunks(visit func(piece io.Reader) error) error {
	c := &chunk{r: bufio.NewReaderSize(e.r, 256<<10)}
	for {
		more, err := c.begin()
		if err != nil {
			return damaged("%s: %w", e.name, err)
		}
		if !more {
			return nil
		}
		if err := visit(c); err != nil {
			if c.failed != nil {
				err = c.failed
			}
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if c.failed != nil {
			return damaged("%s: %w", e.name, c.failed)
		}
	}
}

// chunk reads a stream of lines piece by piece.
type chunk struct {
	r      *bufio.Reader
	left   int // bytes before the piece may end; at most 0: the piece ends at the next line end
	ended  bool
	failed error
}

// begin starts the next piece; false at the end of the stream. It skips leading white space.
func (c *chunk) begin() (bool, error) {
	for {
		b, err := c.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if b != '\n' && b != ' ' && b != '\r' && b != '\t' {
			break
		}
	}
	c.left, c.ended = chunkBytes, false
	return true, c.r.UnreadByte()
}

// Read implements io.Reader for the current piece.
func (c *chunk) Read(p []byte) (int, error) {
	if c.ended {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if _, err := c.r.Peek(1); err != nil {
		c.ended = true
		if !errors.Is(err, io.EOF) {
			c.failed = err
		}
		return 0, err
	}
	ready, err := c.r.Peek(min(c.r.Buffered(), len(p)))
	if err != nil {
		return 0, err
	}
	n := len(ready)
	if c.left > 0 {
		n = min(n, c.left)
	} else if at := bytes.IndexByte(ready, '\n'); at >= 0 {
		n, c.ended = at+1, true
	}
	copy(p, ready[:n])
	c.left -= n
	_, err = c.r.Discard(n)
	return n, err
}
