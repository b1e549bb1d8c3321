package version

import (
	"errors"
	"testing"
	"testing/synctest"

	"shoal/shard/lexicon"
)

// The next state of several shards is derived from the sum of the one before, also while that is
// still added up. Under writes each state once added up all words itself, and searches took
// seconds.
func TestUsedDictionariesWaitForTheReadInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Space
		reads, release := 0, make(chan struct{})
		s.lexica.read = func() (words, exact *lexicon.Dictionary, err error) {
			reads++
			<-release
			return lexicon.Of("granite"), lexicon.Of(), nil
		}
		if _, _, ok := s.UsedDictionaries(); ok || reads != 0 {
			t.Fatalf("%d reads of what nobody has used", reads)
		}
		go func() { _, _, _ = s.Dictionaries() }()
		synctest.Wait()
		got := make(chan bool)
		go func() {
			words, _, ok := s.UsedDictionaries()
			got <- ok && words.Contains("granite")
		}()
		synctest.Wait()
		close(release)
		if !<-got || reads != 1 {
			t.Errorf("the words are not those of the read in progress; %d reads", reads)
		}
	})
}

func TestWordsAreReadAgainAfterAnError(t *testing.T) {
	var s Space
	fault := errors.New("lost")
	s.lexica.read = func() (words, exact *lexicon.Dictionary, err error) {
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
