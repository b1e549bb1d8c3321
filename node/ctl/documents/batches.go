package documents

import (
	"errors"
	"fmt"
	"io"
)

// Batch is a part of a file that is a valid upload. It belongs to the caller.
type Batch struct {
	Body      []byte
	Documents int
	// End is the number of the file's documents in this and all earlier batches.
	End int64
}

// Batches cuts a file of documents into uploads. It reads the file once and keeps one batch
// in memory. It belongs to one goroutine.
type Batches struct {
	size  int
	count int64
	next  func() ([]byte, error) // one document as it is sent, io.EOF at the end
	// before, between and after join documents into an upload.
	before, between, after []byte
	pending                []byte // read, but did not fit into the last batch
}

// New returns the batches of r, of about size bytes each. In an import from Elasticsearch,
// key is the field that gets the id of a document that lacks it, and update allows parts of
// documents.
func New(r io.Reader, f Format, size int, key string, update bool) (*Batches, error) {
	b := &Batches{size: size}
	switch f.Name {
	case "ndjson":
		b.next, b.after = lines(r), []byte("\n")
		b.between = []byte("\n")
	case "json":
		next, err := elements(r)
		if err != nil {
			return nil, err
		}
		b.next, b.before, b.between, b.after = next, []byte("["), []byte(","), []byte("]")
	case "elasticsearch":
		h, err := newHits(r, key, update)
		if err != nil {
			return nil, err
		}
		b.next, b.between, b.after = h.next, []byte("\n"), []byte("\n")
	case "csv":
		header, next, err := records(r)
		if err != nil {
			return nil, err
		}
		b.next, b.before = next, header
	}
	return b, nil
}

// Read returns the next batch, io.EOF after the last one.
func (b *Batches) Read() (*Batch, error) {
	out := &Batch{Body: append([]byte(nil), b.before...)}
	for {
		doc := b.pending
		b.pending = nil
		if doc == nil {
			var err error
			if doc, err = b.next(); errors.Is(err, io.EOF) {
				if out.Documents == 0 {
					return nil, io.EOF
				}
				break
			} else if err != nil {
				return nil, fmt.Errorf("document %d: %w", b.count+1, err)
			}
		}
		if out.Documents > 0 && len(out.Body)+len(doc) > b.size {
			b.pending = doc
			break
		}
		if out.Documents > 0 {
			out.Body = append(out.Body, b.between...)
		}
		out.Body = append(out.Body, doc...)
		out.Documents++
		b.count++
	}
	out.Body = append(out.Body, b.after...)
	out.End = b.count
	return out, nil
}
