package memshard

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/paulmach/orb"

	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/extract"
	"shoal/shard/lexicon"
	"shoal/shard/memindex"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// Shard is a shard in memory. Its documents never change. Its owner may set its
// Columns.
type Shard struct {
	*memindex.Index
	schema       *scope.Schema
	tokens       map[uint32]record.Tokens
	words, exact map[string]docset.Set
	dict, exDict *lexicon.Dictionary
	memo         scope.Memo
	columns      *columns.Columns
}

// New returns a shard of documents, given as JSON texts by row.
func New(settings *settings.Settings, fields []string, docs map[uint32]string) (*Shard, error) {
	f := &Shard{
		Index: memindex.New(settings, fields, docs), schema: scope.NewSchema(settings, fields),
		tokens: map[uint32]record.Tokens{}, words: map[string]docset.Set{}, exact: map[string]docset.Set{},
	}
	plan, err := extract.NewPlan(settings, fields, 0)
	if err != nil {
		return nil, err
	}
	x := plan.New()
	for _, ord := range slices.Sorted(maps.Keys(docs)) {
		if err := x.Load([]byte(docs[ord])); err != nil {
			return nil, err
		}
		data, err := x.Tokens(nil)
		if err != nil {
			return nil, err
		}
		tokens, err := record.Parse(data)
		if err != nil {
			return nil, err
		}
		f.add(ord, tokens)
	}
	f.dict, f.exDict = dictionary(f.words), dictionary(f.exact)
	return f, nil
}

func (f *Shard) add(ord uint32, tokens record.Tokens) {
	f.tokens[ord] = tokens
	tokens.Each(func(w []byte, e record.Entry) bool {
		if e.Tolerant() {
			f.words[string(w)] = f.words[string(w)].Or(docset.Of(ord))
		}
		if e.Exact() {
			f.exact[string(w)] = f.exact[string(w)].Or(docset.Of(ord))
		}
		return true
	})
}

// Follow takes over the memo and the columns of the previous shard, except for the
// documents in changed.
func (f *Shard) Follow(old *Shard, changed docset.Set) {
	f.memo.Inherit(&old.memo, changed)
	f.columns = old.columns.Without(changed)
}

// SetColumns sets the columns.
func (f *Shard) SetColumns(c *columns.Columns) { f.columns = c }

// Records returns the records of all documents, by row.
func (f *Shard) Records() map[uint32]record.Tokens { return f.tokens }

// disk is a file whose bytes change once it is damaged.
type disk struct {
	bytes.Reader
	damaged bool
}

func (d *disk) ReadAt(b []byte, at int64) (int, error) {
	n, err := d.Reader.ReadAt(b, at)
	if d.damaged && n > 0 {
		b[n/2] ^= 1
	}
	return n, err
}

// BuildBlock builds columns as a shard does, in memory. Columns on a damaged disk can
// be opened, but not read.
func BuildBlock(ctx context.Context, ix columns.Source, block uint16, docs docset.Container, cache *columns.PieceCache, damaged bool) (*columns.BlockColumns, error) {
	var file bytes.Buffer
	err := columns.BuildBlock(ctx, ix, block, docs, &file, func(ctx context.Context) error { return ctx.Err() })
	if err != nil {
		return nil, err
	}
	d := &disk{Reader: *bytes.NewReader(file.Bytes())}
	b, err := columns.OpenBlock(d, int64(file.Len()), cache)
	d.damaged = damaged
	return b, err
}

func dictionary(words map[string]docset.Set) *lexicon.Dictionary {
	list := slices.Sorted(maps.Keys(words))
	return lexicon.Build(func() (string, uint32, bool) {
		if len(list) == 0 {
			return "", 0, false
		}
		w := list[0]
		list = list[1:]
		return w, uint32(words[w].Len()), true
	})
}

// These are the methods of scope.Index.

// Schema returns the schema of the settings.
func (f *Shard) Schema() *scope.Schema { return f.schema }

// Word returns the documents with a tolerant occurrence of a word.
func (f *Shard) Word(w string) (docset.Set, error) { return f.words[w], nil }

// ExactWord returns the documents with an exact occurrence of a word.
func (f *Shard) ExactWord(w string) (docset.Set, error) { return f.exact[w], nil }

// Dictionaries returns the words with tolerant and with exact occurrences.
func (f *Shard) Dictionaries() (words, exact *lexicon.Dictionary, err error) {
	return f.dict, f.exDict, nil
}

// Tokens returns a reader of the records.
func (f *Shard) Tokens() record.TokenReader { return reader{f} }

// Columns returns the columns of SetColumns.
func (f *Shard) Columns() *columns.Columns { return f.columns }

// Memo returns the cache of search results.
func (f *Shard) Memo() *scope.Memo { return &f.memo }

// Within is that of filter.Index. It uses a column of points, as a stored shard does.
func (f *Shard) Within(ctx context.Context, c filter.GeoCircle, docs docset.Set, n int) (inside, edge docset.Set, ok bool, err error) {
	return scope.Within(ctx, f, c, docs, n)
}

// Touching is that of filter.Index. It uses a column of boxes, as a stored shard does.
func (f *Shard) Touching(ctx context.Context, bounds []orb.Bound, docs docset.Set) (near docset.Set, ok bool, err error) {
	return scope.Touching(ctx, f, bounds, docs)
}

// Prefix returns the documents with a word that starts with a prefix, up to last unless
// that is "".
func (f *Shard) Prefix(p, last string) (docset.Set, error) { return prefixed(f.words, p, last), nil }

// ExactPrefix is Prefix for exact occurrences.
func (f *Shard) ExactPrefix(p, last string) (docset.Set, error) {
	return prefixed(f.exact, p, last), nil
}

// FieldCount returns the documents with n words in a field.
func (f *Shard) FieldCount(fid uint16, n int) (docset.Set, error) {
	var b docset.Builder
	for ord, t := range f.tokens {
		if n <= 30 && t.FieldTokens(fid) == n {
			b.Add(ord)
		}
	}
	return b.Set(), nil
}

func prefixed(words map[string]docset.Set, prefix, last string) docset.Set {
	var sets []docset.Set
	for w, s := range words {
		if strings.HasPrefix(w, prefix) && (last == "" || w <= last) {
			sets = append(sets, s)
		}
	}
	return docset.Union(sets...)
}

type reader struct{ f *Shard }

func (r reader) Read(ord uint32) (record.Tokens, bool, error) {
	t, ok := r.f.tokens[ord]
	return t, ok, nil
}

func (reader) Close() error { return nil }
