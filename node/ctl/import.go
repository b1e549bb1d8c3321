package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"shoal/node/ctl/documents"
)

// Import sends files of documents to an index.
type Import struct {
	Remote
	Index      string   `arg:"" names:"indexes" help:"Index to add to; it is created if there is none."`
	Files      []string `arg:"" placeholder:"FILE" help:"JSON, NDJSON or CSV, also as .gz or .zst; - is standard input."`
	Format     string   `enum:"json,ndjson,csv,elasticsearch," default:"" placeholder:"NAME" help:"json, ndjson, csv or elasticsearch, which reads hits, answers of searches and bodies of _bulk (default: by the file's name)."`
	PrimaryKey string   `placeholder:"FIELD" help:"Field that names a document (default: that of the index, or the one ending in id)."`
	Update     bool     `help:"Add fields to documents that are there instead of replacing them."`
	BatchMiB   int      `name:"batch-mib" default:"16" placeholder:"N" help:"Size of one request."`
	InFlight   int      `default:"8" placeholder:"N" help:"Requests whose tasks may be unfinished."`
	NoResume   bool     `help:"Begin at the first document even if an earlier import of the same file was cut off."`
	progress   func(io.Writer, string, int64) meter
}

// Run sends all files, one after the other, waits for their tasks, and returns the
// failures. An interrupted import continues where it was when it is run again. Documents
// have primary keys, so those that are sent twice are stored once.
func (m *Import) Run(ctx context.Context, out io.Writer) error {
	if m.BatchMiB < 1 || m.BatchMiB > 1024 || m.InFlight < 1 || m.InFlight > 64 {
		return Usage{errors.New("--batch-mib must be 1 to 1024 and --in-flight 1 to 64")}
	}
	c, err := m.open()
	if err != nil {
		return err
	}
	if m.progress == nil {
		m.progress = newMeter
	}
	for _, path := range m.Files {
		if err := m.file(ctx, c, path, out); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// source is an open file that counts the bytes read.
type source struct {
	io.Reader
	size int64 // -1 when it is not known
	read int64
	file *os.File
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.read += int64(n)
	return n, err
}

func openSource(path string) (*source, error) {
	if path == "-" {
		return &source{Reader: os.Stdin, size: -1, file: nil}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{Reader: f, size: -1, file: f}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return s, nil
}

func (s *source) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// file imports one file.
func (m *Import) file(ctx context.Context, c *client, path string, out io.Writer) (err error) {
	f, err := documents.FormatOf(path, m.Format)
	if err != nil {
		return Usage{err}
	}
	src, err := openSource(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	plain, err := documents.Unpack(src)
	if err != nil {
		return err
	}
	defer plain.Close()
	key := ""
	if f.Name == "elasticsearch" {
		if key, err = m.primaryKey(ctx, c); err != nil {
			return err
		}
	}
	docs, err := documents.New(plain, f, m.BatchMiB<<20, key, m.Update)
	if err != nil {
		return err
	}
	mark, err := m.bookmark(c, path, src)
	if err != nil {
		return err
	}
	if mark.Documents > 0 {
		fmt.Fprintf(out, "%s: going on after %d documents of an import that was cut off.\n", path, mark.Documents)
	}
	run := &importRun{m: m, c: c, mark: mark, bar: m.progress(out, path, src.size), src: src, kind: f.ContentType, began: time.Now()}
	if err := run.all(ctx, docs); err != nil {
		run.bar.end()
		return fmt.Errorf("%w\nRun the same command again: it goes on where it was", err)
	}
	run.bar.end()
	if err := mark.remove(); err != nil {
		return err
	}
	took := time.Since(run.began)
	fmt.Fprintf(out, "%s: %d documents in %s, %.0f a second.\n", path, run.sent, took.Round(100*time.Millisecond), float64(run.sent)/max(took.Seconds(), 0.001))
	return nil
}

// primaryKey returns the field that gets the ids of documents from Elasticsearch: what
// --primary-key says, the primary key of the index, or "id" for a new index.
func (m *Import) primaryKey(ctx context.Context, c *client) (string, error) {
	if m.PrimaryKey != "" {
		return m.PrimaryKey, nil
	}
	var index struct{ PrimaryKey string }
	err := c.call(ctx, http.MethodGet, "/indexes/"+url.PathEscape(m.Index), nil, &index)
	var r *refusal
	switch {
	case errors.As(err, &r) && r.Status == http.StatusForbidden:
		return "", fmt.Errorf("the key may not read what the primary key of the index is; name it with --primary-key (%w)", err)
	case err != nil && (r == nil || r.Status != http.StatusNotFound):
		return "", err
	case index.PrimaryKey != "":
		return index.PrimaryKey, nil
	}
	m.PrimaryKey = "id"
	return m.PrimaryKey, nil
}

// importRun is the import of one file.
type importRun struct {
	m     *Import
	c     *client
	mark  *bookmark
	bar   meter
	src   *source
	kind  string
	began time.Time
	sent  int64
	// open are the tasks that have not finished yet, oldest first.
	open []pendingTask
}

type pendingTask struct {
	uid uint32
	end int64 // number of the file's documents that are imported once it is done
}

// all sends batch after batch. When too many tasks are open it waits for the oldest.
func (r *importRun) all(ctx context.Context, docs *documents.Batches) error {
	for {
		b, err := docs.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if b.End <= r.mark.Documents {
			continue // imported already
		}
		if err := r.send(ctx, b); err != nil {
			return err
		}
		for len(r.open) >= r.m.InFlight {
			if err := r.awaitOldest(ctx); err != nil {
				return err
			}
		}
	}
	for len(r.open) > 0 {
		if err := r.awaitOldest(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *importRun) send(ctx context.Context, b *documents.Batch) error {
	query := url.Values{}
	if r.m.PrimaryKey != "" {
		query.Set("primaryKey", r.m.PrimaryKey)
	}
	method := http.MethodPost
	if r.m.Update {
		method = http.MethodPut
	}
	path := "/indexes/" + url.PathEscape(r.m.Index) + "/documents"
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	answer, err := r.c.send(ctx, method, path, r.kind, b.Body)
	if err != nil {
		return fmt.Errorf("documents %d to %d: %w", b.End-int64(b.Documents)+1, b.End, err)
	}
	uid, err := taskOf(answer)
	if err != nil {
		return err
	}
	r.open = append(r.open, pendingTask{uid, b.End})
	r.sent += int64(b.Documents)
	r.bar.at(r.src.read, r.sent, len(r.open))
	return nil
}

// awaitOldest waits for the oldest open task and records its documents as imported.
func (r *importRun) awaitOldest(ctx context.Context) error {
	first := r.open[0]
	t, err := r.c.await(ctx, first.uid, func(*task) { r.bar.at(r.src.read, r.sent, len(r.open)) })
	if err != nil {
		return err
	}
	if err := t.fault(); err != nil {
		return fmt.Errorf("documents up to %d: %w", first.end, err)
	}
	r.open = r.open[1:]
	return r.mark.set(first.end)
}

// bookmark finds how far an earlier import of the same file to the same index got.
func (m *Import) bookmark(c *client, path string, src *source) (*bookmark, error) {
	if src.file == nil || src.size < 0 {
		return &bookmark{}, nil // a stream cannot be read again
	}
	info, err := src.file.Stat()
	if err != nil {
		return nil, err
	}
	mark := newBookmark(strings.Join(c.nodes, ","), m.Index, path, info)
	if m.NoResume {
		return mark, mark.remove()
	}
	return mark, mark.load()
}
