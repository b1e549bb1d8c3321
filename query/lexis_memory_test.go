package query

import (
	"fmt"
	"runtime"
	"testing"

	"shoal/api/settings"
	"shoal/text/language"
)

// Each list of locales had a tokenizer with tables of its own, which was kept. A client
// that may search could send as many lists as fill the memory of a node.
func TestListsOfLocalesTakeBoundedMemory(t *testing.T) {
	s := &settings.Settings{}
	for i := range 5000 {
		s.StopWords = append(s.StopWords, fmt.Sprint("stop", i))
	}
	l := NewLexis(s, 0)
	var all []language.Language
	for _, code := range settings.Locales {
		if one, ok := language.ParseLanguage(code); ok {
			all = append(all, one)
		}
	}
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for i := range 100 {
		l.Parse("the quick fox", []language.Language{all[i%10], all[10+i/10]})
	}
	after := held()
	if after > before+2<<20 {
		t.Errorf("100 lists of locales hold %d KiB", (after-before)>>10)
	}
	if got := l.Parse("stop7 fox", all[:2]); got == nil {
		t.Error("nothing is parsed")
	}
	runtime.KeepAlive(l)
}
