package ingest

import (
	"errors"
	"fmt"
	"io"

	"shoal/api/apierr"
	"shoal/api/payload"
	"shoal/coordinator/task"
	"shoal/wire/staged"
)

// maxManifestNames bounds the bytes of field names in a manifest, to keep task records small.
// For longer lists the leader scans the payload again.
const maxManifestNames = 8 << 10

// Scan collects the manifest of a payload while its documents are added, and writes the staged
// form if out is not nil. Memory does not grow with the number of documents. Ingest uses it,
// and so does the leader when the assumed key was wrong.
type Scan struct {
	out    io.Writer
	dir    string // for temporary files
	decide func(first *payload.Document) (key string, keyed bool)
	// IDOf finds the id of a document: payload.UploadedID, unless it is set before the first one.
	IDOf   func(doc *payload.Document, key string) (string, *apierr.Error)
	staged *staged.Writer
	names  *fieldNames
	ids    *distinct
	id     []byte
	buf    []byte

	manifest task.Manifest
	fault    string
}

// NewScan starts a scan. decide chooses the primary key to assume from the first document (nil
// when there is none).
func NewScan(out io.Writer, dir string, decide func(*payload.Document) (string, bool)) *Scan {
	return &Scan{out: out, dir: dir, decide: decide, IDOf: payload.UploadedID, names: newFieldNames(), ids: newDistinct(dir)}
}

// begin chooses the key and writes the header.
func (p *Scan) begin(first *payload.Document) error {
	name, keyed := p.decide(first)
	if keyed {
		p.manifest.Key = &name
	}
	if p.out == nil {
		return nil
	}
	w, err := staged.NewWriter(p.out, name, keyed)
	p.staged = w
	return err
}

// Add adds one document.
func (p *Scan) Add(doc *payload.Document) error {
	if p.manifest.Documents == 0 {
		if err := p.begin(doc); err != nil {
			return err
		}
		for i := range doc.Members {
			p.manifest.First = append(p.manifest.First, doc.Members[i].Name)
		}
	}
	p.manifest.Documents++
	p.names.add(doc.Members)
	if p.fault == "" {
		p.fault = doc.Fault
	}
	if doc.Truncated != nil {
		p.manifest.Truncated = task.FailureOf(doc.Truncated)
	} else if p.names.tooLong {
		p.manifest.Truncated = task.FailureOf(apierr.FieldNamesTooLong(maxPath, maxNames))
	}
	p.id = p.id[:0]
	if key := p.manifest.Key; key != nil {
		id, refused := p.IDOf(doc, *key)
		p.id = append(p.id, id...)
		switch {
		case refused == nil:
			if err := p.ids.add(p.id); err != nil {
				return err
			}
		case p.manifest.Failure == nil:
			p.manifest.Failure = task.FailureOf(refused)
		}
	}
	if p.staged == nil {
		return nil
	}
	p.buf = doc.AppendObject(p.buf[:0])
	return p.staged.Append(p.id, p.buf)
}

// Finish ends the staged form and returns the manifest.
func (p *Scan) Finish() (*task.Manifest, error) {
	if p.manifest.Documents == 0 {
		if err := p.begin(nil); err != nil {
			return nil, err
		}
	}
	if p.staged != nil {
		if err := p.staged.Close(); err != nil {
			return nil, err
		}
	}
	m := &p.manifest
	n, err := p.ids.count()
	if err != nil {
		return nil, err
	}
	m.Distinct, m.Fault = n, p.fault
	m.Fields, m.Nested, m.Repeats = p.names.top, p.names.nested, p.names.repeats
	return m, nil
}

// Close removes temporary files.
func (p *Scan) Close() error { return p.ids.Close() }

// Shorten removes the names from a manifest that would be too long for a task record.
func Shorten(m *task.Manifest) {
	size := 0
	for _, list := range [][]string{m.First, m.Fields, m.Nested} {
		for _, n := range list {
			size += len(n) + 3
		}
	}
	if size > maxManifestNames {
		m.First, m.Fields, m.Nested, m.Long = nil, nil, nil, true
	}
}

// AssumeKey chooses the primary key to assume at ingest: the index's, else the request's, else
// the inferred one.
func AssumeKey(index, named *string) func(*payload.Document) (string, bool) {
	return func(first *payload.Document) (string, bool) {
		switch {
		case index != nil:
			return *index, true
		case named != nil:
			return *named, true
		case first == nil:
			return "", false
		}
		key, refused := payload.InferPrimaryKey(first.Members)
		return key, refused == nil
	}
}

// Rescan reads a staged payload under another key, or only for its names if keyed is false. It
// writes the payload again to out, if out is not nil.
func Rescan(in io.Reader, out io.Writer, dir string, key string, keyed bool) (m *task.Manifest, err error) {
	r, err := staged.NewReader(in)
	if err != nil {
		return nil, err
	}
	p := NewScan(out, dir, func(*payload.Document) (string, bool) { return key, keyed })
	defer func() { err = errors.Join(err, p.Close()) }()
	for {
		f, _, err := r.Next()
		if errors.Is(err, io.EOF) {
			return p.Finish()
		}
		if err != nil {
			return nil, err
		}
		members, err := payload.Split(f.Document)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", staged.ErrDamaged, err)
		}
		if err := p.Add(&payload.Document{Raw: f.Document, Members: members}); err != nil {
			return nil, err
		}
	}
}
