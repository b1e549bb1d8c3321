package render

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/text"
	"shoal/wire"
)

// stored is a source of documents by ordinal.
type stored struct {
	docs    map[uint32]string
	vectors map[uint32][]Embedding
}

func (s stored) Documents(ordinals []uint32, visit func(i int, json []byte) error) error {
	places := make([]int, len(ordinals))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(ordinals[a], ordinals[b]) })
	for _, i := range places {
		d, ok := s.docs[ordinals[i]]
		if !ok {
			continue
		}
		text := []byte(d)
		if err := visit(i, text); err != nil {
			return err
		}
		clear(text) // valid during the visit only
	}
	return nil
}

func (s stored) Embeddings(ord uint32) ([]Embedding, error) { return s.vectors[ord], nil }

// words lists terms of a query at positions 0, 1 ... A trailing * makes a prefix,
// quotes a phrase.
func words(terms ...string) wire.MatchList {
	var list wire.MatchList
	var prefixes []wire.MatchWords
	for i, t := range terms {
		at := uint16(i)
		switch {
		case strings.HasPrefix(t, `"`):
			list.Phrases = append(list.Phrases, wire.MatchPhrase{Words: strings.Fields(strings.Trim(t, `"`)), First: at, Last: at})
		case strings.HasSuffix(t, "*"):
			t = t[:len(t)-1]
			prefixes = append(prefixes, wire.MatchWords{Words: []string{t}, First: at, Last: at, Prefix: true, Chars: len([]rune(t))})
		default:
			list.Words = append(list.Words, wire.MatchWords{Words: []string{t}, First: at, Last: at, Chars: len([]rune(t))})
		}
	}
	list.Words = append(list.Words, prefixes...)
	return list
}

func formatted(raw string, list wire.MatchList, o options) string {
	a := analyse(raw, text.Default, newMatcher(&list), o.crop > 0)
	return a.format(o, &style{"<em>", "</em>", "…"})
}

const count = "one two three four. five six seven eight, nine ten eleven twelve"

func TestCropAndHighlight(t *testing.T) {
	both := func(n int) options { return options{highlight: true, crop: n, hasCrop: true} }
	for _, c := range []struct {
		raw, want string
		list      wire.MatchList
		o         options
	}{
		{count, "…four. five six <em>seven</em> eight…", words("seven"), both(5)},
		{count, "…six <em>seven</em> eight, <em>nine</em> ten…", words("seven", "nine"), both(5)},
		{count, "one two three four…", words(), both(4)},
		{count, count, words(), both(0)},
		{count, "…ten eleven twelve", words("twelve"), options{crop: 3, hasCrop: true}},
		{count, "<em>one</em> two…", words("one"), both(2)},
		{count, "…<em>seven</em>…", words("seven"), both(1)},
		{"Éclair", "<em>Écl</em>air", words("ecl*"), options{highlight: true}},
		{"Éclair", "<em>Éclair</em>", words("eclair"), options{highlight: true}},
		{"woraa worab", "<em>wora</em>a <em>wora</em>b", words("wora*"), options{highlight: true}},
		{"Ŵôřlḑôle", "<em>Ŵôřlḑ</em>ôle", words("world*"), options{highlight: true}},
		{"the sun, flower", "the <em>sun, flower</em>", words(`"sun flower"`, "sun"), options{highlight: true}},
		{"sun tan flower", "<em>sun</em> tan flower", words(`"sun flower"`, "sun"), options{highlight: true}},
		{"sun sun flower", "<em>sun</em> <em>sun flower</em>", words(`"sun flower"`, "sun"), options{highlight: true}},
		{"word wordy", "<em>word</em> <em>word</em>y", words("word*", "word"), options{highlight: true}},
		{"a (b) <c>", "a (<em>b</em>) <c>", words("b"), options{highlight: true}},
		{"", "", words("b"), both(3)},
		{":-)", ":-)", words("b"), both(10)},
		{"Le Petit Prince", "…Petit <em>Prince</em>", words("prince*"), both(2)},
		{"Natalie risk her future to build a world with the boy she loves.", "…future to build a world with the boy she loves…", words("split", "the", "world*"), options{crop: 10, hasCrop: true}},
		{"The world split void void void void void void void void void split the world void void", "…void void void void void split the world void void", words("split", "the", "world*"), options{crop: 10, hasCrop: true}},
		{"x one two three y", "x one two…", words(`"one two three"`), options{crop: 2, hasCrop: true}},
		{"x one two three", "x one two…", words(`"one two three"`), options{crop: 2, hasCrop: true}},
		{"one two three", "one…", words(`"one two three"`), options{crop: 1, hasCrop: true}},
		// Without separators, one more word of a phrase that ends the text stays.
		{"马绍尔群岛共和国", "马绍尔…", words(`"馬紹尔 群島 共和 國"`), options{crop: 1, hasCrop: true}},
		{"马绍尔群岛共和国", "马绍尔群岛…", words(`"馬紹尔 群島 共和 國"`), options{crop: 2, hasCrop: true}},
	} {
		if got := formatted(c.raw, c.list, c.o); got != c.want {
			t.Errorf("%q %+v:\n got %q\nwant %q", c.raw, c.o, got, c.want)
		}
	}
}

func fetch(t *testing.T, s *settings.Settings, fields []string, doc string, step wire.FetchStep) wire.Rendered {
	t.Helper()
	step.Ordinals = []uint32{7, 8}
	o := &step.Options
	o.PreTag, o.PostTag, o.CropMarker, o.CropLength = "<em>", "</em>", "…", 10
	reply, err := NewPlan(s, fields, 0).Fetch(stored{docs: map[uint32]string{7: doc}}, &step)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Documents[1].Document != nil {
		t.Error("a document that is not there was rendered")
	}
	return reply.Documents[0]
}

func TestFetch(t *testing.T) {
	fields := []string{"id", "father", "doggos", "cattos", "doggos.name", "doggos.age", "n", "flag"}
	const doc = `{"id":852,"father":"jean","doggos":[{"name":"bobby","age":2},{"name":"buddy"},{"age":4e0}],"cattos":["simba","pestiféré"],"n":1e2,"flag":true}`
	for _, c := range []struct {
		name                          string
		displayed                     []string
		step                          wire.FetchStep
		document, formatted, position string
	}{
		{"plain", nil, wire.FetchStep{}, `{"id":852,"father":"jean","doggos":[{"name":"bobby","age":2},{"name":"buddy"},{"age":4.0}],"cattos":["simba","pestiféré"],"n":100.0,"flag":true}`, "", ""},
		{"selected", nil, wire.FetchStep{Options: wire.RenderOptions{HasRetrieve: true, Retrieve: []string{"doggos.name", "nope"}}}, `{"doggos":[{"name":"bobby"},{"name":"buddy"},{}]}`, "", ""},
		{"nothing", nil, wire.FetchStep{Options: wire.RenderOptions{HasRetrieve: true}}, `{}`, "", ""},
		{"displayed", []string{"doggos.age", "id"}, wire.FetchStep{Options: wire.RenderOptions{HasRetrieve: true, Retrieve: []string{"doggos", "id"}}}, `{"id":852}`, "", ""},
		{"star", []string{"doggos"}, wire.FetchStep{Options: wire.RenderOptions{HasRetrieve: true, Retrieve: []string{"*", "id"}}}, `{"doggos":[{"name":"bobby","age":2},{"name":"buddy"},{"age":4.0}]}`, "", ""},
		{"displayed names are whole fields", []string{"doggos", "id"}, wire.FetchStep{Match: words("bobby"), Options: wire.RenderOptions{HasRetrieve: true, Retrieve: []string{"doggos.name", "id"}, Highlight: []string{"doggos.name", "id"}, MatchesPosition: true}},
			`{"id":852}`, `{"id":"852"}`, `{"doggos.name":[{"start":0,"length":5,"indices":[0]}]}`},
		{"formatted", nil, wire.FetchStep{Match: words("pesti*", "bobby"), Options: wire.RenderOptions{HasRetrieve: true, Retrieve: []string{"n"}, Highlight: []string{"cattos", "doggos.name", "nope"}, MatchesPosition: true}},
			`{"n":100.0}`, `{"doggos":[{"name":"<em>bobby</em>"},{"name":"buddy"}],"cattos":["simba","<em>pesti</em>féré"],"n":"100.0"}`,
			`{"cattos":[{"start":0,"length":5,"indices":[1]}],"doggos.name":[{"start":0,"length":5,"indices":[0]}]}`},
		{"everything", nil, wire.FetchStep{Match: words("2"), Options: wire.RenderOptions{HasRetrieve: true, Highlight: []string{"*"}, Crop: []string{"father:1", "*:x"}}},
			`{}`, `{"id":"852","father":"jean","doggos":[{"name":"bobby","age":"<em>2</em>"},{"name":"buddy"},{"age":"4.0"}],"cattos":["simba","pestiféré"],"n":"100.0","flag":true}`, ""},
		{"no valid name", nil, wire.FetchStep{Options: wire.RenderOptions{HasRetrieve: true, Highlight: []string{"nope"}, MatchesPosition: true}}, `{}`, "", `{}`},
		{"hidden", []string{"id"}, wire.FetchStep{Match: words("jean"), Options: wire.RenderOptions{Highlight: []string{"father"}, MatchesPosition: true}}, `{"id":852}`, "", `{}`},
	} {
		s := settings.Default()
		s.DisplayedAttributes = c.displayed
		r := fetch(t, s, fields, doc, c.step)
		if string(r.Document) != c.document || string(r.Formatted) != c.formatted || string(r.MatchesPosition) != c.position {
			t.Errorf("%s:\n got %s %s %s\nwant %s %s %s", c.name, r.Document, r.Formatted, r.MatchesPosition, c.document, c.formatted, c.position)
		}
	}
}

// A document without any of the fields shows no formatted copy. Matches beside nested
// displayed fields are shown.
// A page of one small attribute held as much memory as the whole documents.
func TestAPageHoldsNoMoreMemoryThanItShows(t *testing.T) {
	doc := `{"id":1,"text":"` + strings.Repeat("sun flower ", 100_000) + `"}`
	for _, o := range []wire.RenderOptions{{}, {MatchesPosition: true}} {
		o.Retrieve, o.HasRetrieve = []string{"id"}, true
		r := fetch(t, settings.Default(), []string{"id", "text"}, doc, wire.FetchStep{Options: o})
		if string(r.Document) != `{"id":1}` || cap(r.Document) > 64 {
			t.Errorf("positions %v: %s, in %d bytes of memory", o.MatchesPosition, r.Document, cap(r.Document))
		}
	}
}

func TestAnEmptyFormattedCopyIsNotShown(t *testing.T) {
	fields := []string{"id", "o", "o.a", "o.b", "s", "s.q"}
	s := settings.Default()
	s.DisplayedAttributes = []string{"o.a", "s.q"}
	step := wire.FetchStep{Match: words("xx"), Options: wire.RenderOptions{Highlight: []string{"*"}, MatchesPosition: true}}
	for _, c := range []struct{ doc, document, formatted, position string }{
		{`{"id":"xx","o":{"b":"xx"}}`, `{"o":{}}`, `{"o":{}}`, `{}`},
		{`{"id":"xx"}`, `{}`, ``, `{}`},
		{`{"o":"xx","s":["xx",["a xx",{"q":"xx"}],7]}`, `{"o":"xx","s":["xx",["a xx",{"q":"xx"}],7]}`, `{"s":[[{"q":"<em>xx</em>"}]]}`,
			`{"o":[{"start":0,"length":2}],"s":[{"start":2,"length":2,"indices":[1,0]}],"s.q":[{"start":0,"length":2,"indices":[1,1]}]}`},
	} {
		r := fetch(t, s, fields, c.doc, step)
		if string(r.Document) != c.document || string(r.Formatted) != c.formatted || string(r.MatchesPosition) != c.position {
			t.Errorf("%s:\n got %s %s %s\nwant %s %s %s", c.doc, r.Document, r.Formatted, r.MatchesPosition, c.document, c.formatted, c.position)
		}
	}
}

// In the formatted copy, and only there, a member whose name has dots is reduced to the
// known fields below it, though it is a field itself.
func TestFormattedMembersWithDotsAreNarrowed(t *testing.T) {
	fields := []string{"id", "a.b", "a", "a.b.c"}
	step := wire.FetchStep{Match: words("x"), Options: wire.RenderOptions{Highlight: []string{"*"}, MatchesPosition: true}}
	for _, c := range []struct{ doc, formatted, position string }{
		{`{"a.b":"x"}`, ``, `{"a.b":[{"start":0,"length":1}]}`},
		{`{"a.b":{"c":"x","d":"x"}}`, `{"a.b":{"c":"<em>x</em>"}}`, `{"a.b.c":[{"start":0,"length":1}],"a.b.d":[{"start":0,"length":1}]}`},
		{`{"a.b":["x",{"c":"y"}]}`, `{"a.b":[{"c":"y"}]}`, `{"a.b":[{"start":0,"length":1,"indices":[0]}]}`},
		{`{"a":{"b":"x","d":"x"}}`, `{"a":{"b":"<em>x</em>","d":"<em>x</em>"}}`, `{"a.b":[{"start":0,"length":1}],"a.d":[{"start":0,"length":1}]}`},
	} {
		r := fetch(t, settings.Default(), fields, c.doc, step)
		if string(r.Document) != c.doc || string(r.Formatted) != c.formatted || string(r.MatchesPosition) != c.position {
			t.Errorf("got %s %s %s\nwant %s %s %s", r.Document, r.Formatted, r.MatchesPosition, c.doc, c.formatted, c.position)
		}
	}
}

func TestGeoDistance(t *testing.T) {
	fields := []string{"id", "_geo", "_geo.lat", "_geo.lng"}
	from := wire.RenderOptions{HasFrom: true, From: filter.GeoPoint{Lat: 48.85, Lng: 2.35}}
	for _, c := range []struct {
		doc      string
		retrieve []string
		has      bool
		metres   uint64
	}{
		{`{"_geo":{"lat":45,"lng":"3"}}`, nil, true, 430932},
		{`{"_geo":{"lat":45,"lng":3}}`, []string{"_geo"}, true, 430932},
		{`{"_geo":{"lat":45,"lng":3}}`, []string{"id"}, false, 0},
		{`{"_geo":{"lat":45,"lng":3}}`, []string{"_geo.lat"}, false, 0},
		{`{"_geo":null}`, nil, false, 0},
		{`{"id":1}`, nil, false, 0},
	} {
		step := wire.FetchStep{Options: from}
		step.Options.Retrieve, step.Options.HasRetrieve = c.retrieve, c.retrieve != nil
		r := fetch(t, settings.Default(), fields, c.doc, step)
		if r.HasDistance != c.has || r.Distance != c.metres {
			t.Errorf("%s %v: %v %d", c.doc, c.retrieve, r.HasDistance, r.Distance)
		}
	}
}

func TestVectors(t *testing.T) {
	src := stored{
		docs:    map[uint32]string{1: `{"id":1,"_vectors":{"other":[1],"m":[2]}}`},
		vectors: map[uint32][]Embedding{1: {{Name: "m", Vectors: [][]float32{{0.1}}}}},
	}
	const shown = `{"id":1,"_vectors":{"other":[1],"m":{"embeddings":[[0.10000000149011612]],"regenerate":false}}}`
	for _, c := range []struct {
		displayed []string
		want      string
	}{{nil, shown}, {[]string{"id"}, shown}, {[]string{"id", "_vectors"}, `{"id":1}`}} {
		s := settings.Default()
		s.DisplayedAttributes = c.displayed
		reply, err := NewPlan(s, []string{"id", "_vectors"}, 0).Fetch(src, &wire.FetchStep{Ordinals: []uint32{1}, Options: wire.RenderOptions{RetrieveVectors: true}})
		if err != nil || string(reply.Documents[0].Document) != c.want {
			t.Errorf("%v: %s %v", c.displayed, reply.Documents[0].Document, err)
		}
	}
}

// TestExtraFieldsAreThoseThatAreNotRetrieved: an instance that merges hits of several asks for values
// that they do not show, displayed or not.
func TestExtraFieldsAreThoseThatAreNotRetrieved(t *testing.T) {
	s := settings.Default()
	s.DisplayedAttributes = []string{"id", "a"}
	fields := []string{"id", "a", "b", "b.c", "b.d"}
	for _, c := range []struct {
		retrieve, extra []string
		want            string
	}{
		{nil, []string{"b.c", "a", "id", "none"}, `{"b":{"c":2}}`},
		{[]string{"id"}, []string{"b", "a"}, `{"a":1,"b":{"c":2,"d":3}}`},
		{[]string{"b"}, []string{"b.d"}, `{"b":{"d":3}}`},
		{nil, []string{}, `{}`},
	} {
		o := wire.RenderOptions{Retrieve: c.retrieve, HasRetrieve: c.retrieve != nil, Extra: c.extra, HasExtra: true}
		if got := fetch(t, s, fields, `{"id":0,"a":1,"b":{"c":2,"d":3}}`, wire.FetchStep{Options: o}); string(got.Extra) != c.want {
			t.Errorf("%v beside %v: %s", c.extra, c.retrieve, got.Extra)
		}
	}
	if got := fetch(t, s, fields, `{"id":0}`, wire.FetchStep{}); got.Extra != nil {
		t.Errorf("not asked for: %s", got.Extra)
	}
}

// TestCropWindowsKeepTheirBounds checks properties of random windows: they are on token bounds, have at
// most the requested number of words, and without tags formatting changes nothing
// inside.
func TestCropWindowsKeepTheirBounds(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	pieces := []string{"sun", "flower", "tan", "x", " ", ", ", ". ", "-", "été", "日本"}
	for range 3000 {
		var b strings.Builder
		for range r.IntN(25) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		raw := b.String()
		list := words("sun", "flo*", `"tan x"`)
		a := analyse(raw, text.Default, newMatcher(&list), true)
		size := 1 + r.IntN(8)
		start, end := crop(raw, &a.cuts, a.matches, size)
		phrase := slices.ContainsFunc(a.matches, func(m match) bool { return m.lastWord-m.firstWord >= size })
		if start > end {
			if got := a.format(options{highlight: true, crop: size, hasCrop: true}, &style{marker: "…"}); !phrase || got != "……" {
				t.Fatalf("%q, %d words: window %d..%d, %q", raw, size, start, end, got)
			}
			continue
		}
		n := 0
		for tok := range text.Default.Tokenize(raw) {
			inside := tok.Start >= start && tok.End <= end
			if !inside && tok.End > start && tok.Start < end {
				t.Fatalf("%q, %d words: window %d..%d cuts a token", raw, size, start, end)
			}
			if inside && !tok.Kind.IsSeparator() {
				n++
			}
		}
		// A phrase longer than the window is shown from the start of the text.
		if n > size && !phrase {
			t.Fatalf("%q: %d words in a window of %d: %q", raw, n, size, raw[start:end])
		}
		if got := a.format(options{highlight: true, crop: size, hasCrop: true}, &style{}); got != raw[start:end] {
			t.Fatalf("%q: %q instead of %q", raw, got, raw[start:end])
		}
	}
}
