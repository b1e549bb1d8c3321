package apierr

import (
	"sort"
	"strconv"
)

// vectorsMember is the member of documents that holds their vectors.
const vectorsMember = "_vectors"

// NameCount is a name and a number of documents.
type NameCount struct {
	Name  string `msgpack:"n"`
	Count uint64 `msgpack:"c"`
}

// MissingVectors says why a batch of documents could not be embedded (spec write-api 8.4,
// 13.5). Join adds the results of other shards.
type MissingVectors struct {
	Embedder string `msgpack:"e"`
	// Document is the first document without vectors, Others the number of further ones.
	// Fault is set instead if the embedder failed. Alone: it failed for this document only.
	Document string `msgpack:"d"`
	Others   int    `msgpack:"o"`
	Fault    string `msgpack:"f"`
	Alone    bool   `msgpack:"al"`
	// Fields counts the documents of the index by fields whose name resembles `_vectors`.
	// Names counts the documents of the batch by unknown embedders whose name resembles
	// this one.
	Fields []NameCount `msgpack:"fl"`
	Names  []NameCount `msgpack:"nm"`
}

// LooksLikeVectors tells whether a field may be a misspelling of `_vectors`.
func LooksLikeVectors(field string) bool { return WithinTypos(vectorsMember, field, 2) }

// maxOthers bounds the number of documents that a message mentions.
const maxOthers = 99

// Join adds the findings of another shard.
func (m *MissingVectors) Join(o *MissingVectors) {
	if o.Fault == "" && m.Fault == "" {
		m.Others += o.Others + 1
	}
	m.Names = AddCounts(m.Names, o.Names)
}

// AddCounts sums two lists by name; the result is sorted.
func AddCounts(a, b []NameCount) []NameCount {
	sums := map[string]uint64{}
	for _, list := range [][]NameCount{a, b} {
		for _, c := range list {
			sums[c.Name] += c.Count
		}
	}
	out := make([]NameCount, 0, len(sums))
	for name, n := range sums {
		out = append(out, NameCount{name, n})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Error returns the message.
func (m *MissingVectors) Error() string {
	text := "While embedding documents for embedder `" + m.Embedder + "`: "
	if m.Alone {
		text = "While embedding document `" + m.Document + "` for embedder `" + m.Embedder + "`: "
	}
	if m.Fault != "" {
		text += m.Fault
	} else {
		text += "no vectors provided for document `" + m.Document + "`"
		if m.Others > 0 {
			text += " and at least " + strconv.Itoa(min(m.Others, maxOthers)) + " other document(s)"
		}
		text += "\n- Note: `" + m.Embedder + "` has `source: userProvided`, so documents must provide embeddings as an array in `_vectors." + m.Embedder + "`."
	}
	hints := 0
	hint := func(wrong, right string, count uint64) {
		text += "\n- Hint: try replacing `" + wrong + "` by `" + right + "` in " + strconv.FormatUint(count, 10) + " document(s)."
		hints++
	}
	const shown = 2
	for _, f := range m.Fields[:min(shown, len(m.Fields))] {
		hint(f.Name, vectorsMember, f.Count)
	}
	for _, n := range m.Names[:min(shown, len(m.Names))] {
		hint(vectorsMember+"."+n.Name, vectorsMember+"."+m.Embedder, n.Count)
	}
	if hints == 0 && m.Fault == "" {
		text += "\n- Hint: opt-out for a document with `_vectors." + m.Embedder + ": null`"
	}
	return text
}

// API returns the error for clients. It does not name the index yet.
func (m *MissingVectors) API() *Error { return New(CodeVectorEmbeddingError, m.Error()) }
