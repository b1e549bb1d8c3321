package rank_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/extract"
	"shoal/shard/lexicon"
	"shoal/shard/memindex"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// fake is a shard in memory: facet values by package memindex, words by package
// extract.
type fake struct {
	*memindex.Index
	schema       *scope.Schema
	tokens       map[uint32]record.Tokens
	words, exact map[string]docset.Set
	dict, exDict *lexicon.Dictionary
	memo         scope.Memo
	columns      *columns.Columns
}

func newFake(t testing.TB, settings *settings.Settings, fields []string, docs map[uint32]string) *fake {
	t.Helper()
	f := &fake{
		Index: memindex.New(settings, fields, docs), schema: scope.NewSchema(settings, fields),
		tokens: map[uint32]record.Tokens{}, words: map[string]docset.Set{}, exact: map[string]docset.Set{},
	}
	plan, err := extract.NewPlan(settings, fields, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := plan.New()
	for _, ord := range slices.Sorted(maps.Keys(docs)) {
		if err := x.Load([]byte(docs[ord])); err != nil {
			t.Fatal(err)
		}
		data, err := x.Tokens(nil)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := record.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
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
	f.dict, f.exDict = dictionary(f.words), dictionary(f.exact)
	return f
}

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

// buildBlock makes columns as a shard does. Those of a damaged disk can be opened, not
// read.
func buildBlock(t testing.TB, ix columns.Source, block uint16, docs docset.Container, cache *columns.PieceCache, damaged bool) *columns.BlockColumns {
	t.Helper()
	var file bytes.Buffer
	err := columns.BuildBlock(t.Context(), ix, block, docs, &file, func(ctx context.Context) error { return ctx.Err() })
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{Reader: *bytes.NewReader(file.Bytes())}
	b, err := columns.OpenBlock(d, int64(file.Len()), cache)
	if err != nil {
		t.Fatal(err)
	}
	d.damaged = damaged
	return b
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

func (f *fake) Schema() *scope.Schema                     { return f.schema }
func (f *fake) Word(w string) (docset.Set, error)         { return f.words[w], nil }
func (f *fake) ExactWord(w string) (docset.Set, error)    { return f.exact[w], nil }
func (f *fake) Dictionary() *lexicon.Dictionary           { return f.dict }
func (f *fake) ExactDictionary() *lexicon.Dictionary      { return f.exDict }
func (f *fake) Tokens() record.TokenReader                { return fakeReader{f} }
func (f *fake) Columns() *columns.Columns                 { return f.columns }
func (f *fake) Memo() *scope.Memo                         { return &f.memo }
func (f *fake) Prefix(p, last string) (docset.Set, error) { return prefixed(f.words, p, last), nil }
func (f *fake) FieldCount(fid uint16, n int) (docset.Set, error) {
	var b docset.Builder
	for ord, t := range f.tokens {
		if n <= 30 && t.FieldTokens(fid) == n {
			b.Add(ord)
		}
	}
	return b.Set(), nil
}

func (f *fake) ExactPrefix(p, last string) (docset.Set, error) {
	return prefixed(f.exact, p, last), nil
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

type fakeReader struct{ f *fake }

func (r fakeReader) Read(ord uint32) (record.Tokens, bool, error) {
	t, ok := r.f.tokens[ord]
	return t, ok, nil
}

func (fakeReader) Close() error { return nil }
