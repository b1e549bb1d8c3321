package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// hits reads documents from what Elasticsearch and OpenSearch write: lists or lines of
// hits, answers to searches and scrolls, and bodies of `_bulk`. It keeps one JSON value
// in memory.
type hits struct {
	from *json.Decoder
	list bool // from stands inside a list
	// key is the field that gets the `_id` of a document that lacks it.
	key string
	// update: partial documents are wanted.
	update  bool
	pending []hit
}

// hit is one document as Elasticsearch wraps it.
type hit struct {
	ID     json.RawMessage `json:"_id"`
	Source json.RawMessage `json:"_source"`
}

// value is what can stand at the top of a file: a hit, an answer to a search, or the
// line of `_bulk` that says what is done with the next one.
type value struct {
	hit
	Hits   *struct{ Hits []hit } `json:"hits"`
	Index  *hit                  `json:"index"`
	Create *hit                  `json:"create"`
	Update *hit                  `json:"update"`
	Delete *hit                  `json:"delete"`
}

func newHits(r io.Reader, key string, update bool) (*hits, error) {
	b, first, err := firstByte(r)
	if err != nil {
		return nil, err
	}
	h := &hits{from: json.NewDecoder(b), key: key, update: update}
	if first == '[' {
		_, err = h.from.Token()
		h.list = true
	}
	return h, err
}

// next returns the next document, io.EOF after the last one.
func (h *hits) next() ([]byte, error) {
	for len(h.pending) == 0 {
		if err := h.read(); err != nil {
			return nil, err
		}
	}
	one := h.pending[0]
	h.pending = h.pending[1:]
	return h.document(one)
}

// read reads one value and notes its documents.
func (h *hits) read() error {
	if h.list && !h.from.More() {
		if err := listEnd(h.from); err != nil {
			return err
		}
		h.list = false
	}
	var v value
	if err := h.from.Decode(&v); err != nil {
		if h.list {
			return cutOff(err)
		}
		return err
	}
	switch {
	case v.Hits != nil:
		h.pending = v.Hits.Hits
	case v.Source != nil:
		h.pending = []hit{v.hit}
	case v.Index != nil:
		return h.source(v.Index)
	case v.Create != nil:
		return h.source(v.Create)
	case v.Update != nil:
		return h.partial(v.Update)
	case v.Delete != nil:
		return errors.New("the file deletes a document, an import only adds: take the lines with \"delete\" out of it")
	default:
		return errors.New("this is no hit, no answer to a search and no action of _bulk: a file of plain documents has --format json or ndjson")
	}
	return nil
}

// source reads the line that follows the action "index" or "create".
func (h *hits) source(action *hit) error {
	if err := h.from.Decode(&action.Source); err != nil {
		return lineMissing(err)
	}
	h.pending = []hit{*action}
	return nil
}

// partial reads the line that follows the action "update".
func (h *hits) partial(action *hit) error {
	var line struct {
		Doc json.RawMessage `json:"doc"`
	}
	if err := h.from.Decode(&line); err != nil {
		return lineMissing(err)
	}
	if line.Doc == nil {
		return errors.New("the file updates a document by a script, which an import cannot do: export the documents themselves")
	}
	if !h.update {
		return errors.New("the file has parts of documents (\"update\"): give --update, which adds fields to documents that are there")
	}
	action.Source = line.Doc
	h.pending = []hit{*action}
	return nil
}

func lineMissing(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the file ends behind an action of _bulk, before its document")
	}
	return err
}

// document returns a document on one line, with its `_id` as the field of the primary key
// unless it has that field.
func (h *hits) document(one hit) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(one.Source, &fields); err != nil || fields == nil {
		return nil, errors.New("a hit without _source: export with the documents")
	}
	text := one.Source
	if _, has := fields[h.key]; !has && one.ID != nil {
		name, err := json.Marshal(h.key)
		if err != nil {
			return nil, err
		}
		between := ","
		if len(fields) == 0 {
			between = ""
		}
		text = slices.Concat([]byte("{"), name, []byte(":"), one.ID, []byte(between), bytes.TrimSpace(text)[1:])
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
