package version

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"shoal/shard/lexicon"
)

// The next state of several shards is derived from the sum of the one before, also while that is
// still added up. Under writes each state once added up all words itself, and searches took
// seconds.
func TestUsedDictionariesAreThoseOfTheReadInProgress(t *testing.T) {
	var s Space
	reads, begun, release := 0, make(chan struct{}), make(chan struct{})
	s.lexica.read = func(context.Context) (words, exact *lexicon.Dictionary, err error) {
		reads++
		close(begun)
		<-release
		return lexicon.Of("granite"), lexicon.Of(), nil
	}
	if _, _, ok := s.UsedDictionaries(); ok || reads != 0 {
		t.Fatalf("%d reads of what nobody has used", reads)
	}
	var work sync.WaitGroup
	work.Go(func() { _, _, _ = s.Dictionaries() })
	<-begun
	time.AfterFunc(10*time.Millisecond, func() { close(release) }) // while the next line waits
	if words, _, ok := s.UsedDictionaries(); !ok || !words.Contains("granite") {
		t.Error("the words are not those of the read in progress")
	}
	work.Wait()
	if reads != 1 {
		t.Errorf("%d reads", reads)
	}
}

func TestWordsAreReadAgainAfterAnError(t *testing.T) {
	var s Space
	fault := errors.New("lost")
	s.lexica.read = func(context.Context) (words, exact *lexicon.Dictionary, err error) {
		return lexicon.Of("granite"), lexicon.Of(), fault
	}
	if _, _, err := s.Dictionaries(); !errors.Is(err, fault) {
		t.Fatal(err)
	}
	fault = nil
	if words, _, err := s.Dictionaries(); err != nil || !words.Contains("granite") {
		t.Errorf("words %v: %v", words, err)
	}
}
