package rank_test

import (
	"slices"
	"testing"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank"
	"shoal/wire"
)

// A second search gets the facts of a word from the first one, and appending to them
// does not affect the cache. The next state of the shard looks them up again.
func TestFactsOfAWordAreCachedPerState(t *testing.T) {
	state := func(docs map[uint32]string) *memshard.Shard {
		shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
		if err != nil {
			t.Fatal(err)
		}
		return shard
	}
	word := wire.VocabularyWord{Text: "flower", Prefix: true, Budget: 1, Splits: true}
	ask := func(shard *memshard.Shard) wire.WordFacts {
		s := rank.New(shard, nil)
		defer s.Close()
		reply, err := s.Step(t.Context(), &wire.SearchStep{Vocabulary: &wire.VocabularyStep{Words: []wire.VocabularyWord{word}}})
		if err != nil {
			t.Fatal(err)
		}
		return reply.Vocabulary.Words[0]
	}
	before := state(map[uint32]string{1: `{"t":"flower flowers flover"}`})
	first := ask(before)
	kept := before.Memo().Bytes()
	for range 2 {
		facts := ask(before)
		if !facts.Known || len(facts.Typos) != 1 || !slices.Equal(facts.Extensions, []string{"flowers"}) {
			t.Fatalf("%+v", facts)
		}
		if &facts.Typos[0] != &first.Typos[0] {
			t.Error("the word was looked up again")
		}
		_ = append(facts.Typos, wire.TypoWord{Word: "another search's"})
		_ = append(facts.Extensions, "another search's")
	}
	if kept == 0 || before.Memo().Bytes() != kept {
		t.Errorf("%d bytes are kept, first %d", before.Memo().Bytes(), kept)
	}
	after := state(map[uint32]string{1: `{"t":"flowery"}`})
	after.Follow(before, docset.Of(1))
	if facts := ask(after); facts.Known || !slices.Equal(facts.Extensions, []string{"flowery"}) {
		t.Errorf("after a change: %+v", facts)
	}
	alone := state(map[uint32]string{1: `{"t":"flowery"}`})
	if ask(alone); after.Memo().Bytes() != alone.Memo().Bytes() {
		t.Errorf("after a change %d bytes are kept, of that state alone %d", after.Memo().Bytes(), alone.Memo().Bytes())
	}
}

// The facts of many words do not exceed the bound of the Memo.
func TestCachedWordsAreBounded(t *testing.T) {
	docs := map[uint32]string{1: `{"t":"flower"}`}
	shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
	if err != nil {
		t.Fatal(err)
	}
	const most = 10_000
	shard.Memo().Bound(most)
	s := rank.New(shard, nil)
	defer s.Close()
	for i := range 1000 {
		word := wire.VocabularyWord{Text: string([]rune{'a' + rune(i)}), Budget: 1}
		if _, err := s.Step(t.Context(), &wire.SearchStep{Vocabulary: &wire.VocabularyStep{Words: []wire.VocabularyWord{word}}}); err != nil {
			t.Fatal(err)
		}
		if n := shard.Memo().Bytes(); n > most {
			t.Fatalf("%d bytes after %d words", n, i+1)
		}
	}
	if n := shard.Memo().Bytes(); n < most/2 {
		t.Errorf("only %d bytes are kept", n)
	}
}
