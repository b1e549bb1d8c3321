package task

import (
	"testing"

	"shoal/wire"
)

func TestDetails(t *testing.T) {
	key, renamed := "k\"y", "new"
	for _, c := range []struct {
		name   string
		task   *wire.Task
		want   string
		failed string
	}{
		{"addition", NewAddition("a", &Addition{Manifest: Manifest{Documents: 3}}, wire.Payload{}, nil),
			`{"receivedDocuments":3,"indexedDocuments":null}`, `{"receivedDocuments":3,"indexedDocuments":0}`},
		{"by ids", NewDeletion("a", 2, wire.Payload{}, nil),
			`{"providedIds":2,"deletedDocuments":null,"originalFilter":null}`, `{"providedIds":2,"deletedDocuments":0,"originalFilter":null}`},
		{"by filter", NewFilterDeletion("a", []byte(`"t = <a>"`), nil),
			`{"providedIds":0,"deletedDocuments":null,"originalFilter":"\"t = <a>\""}`, `{"providedIds":0,"deletedDocuments":0,"originalFilter":"\"t = <a>\""}`},
		{"clear", NewClear("a", nil), `{"deletedDocuments":null}`, `{"deletedDocuments":0}`},
		{"edition", NewEdition("a", &Edition{Function: "f()"}, nil),
			`{"editedDocuments":null,"deletedDocuments":null,"originalFilter":null,"context":null,"function":"f()"}`,
			`{"editedDocuments":0,"deletedDocuments":null,"originalFilter":null,"context":null,"function":"f()"}`},
		{"creation", NewCreation("a", nil), `{"primaryKey":null}`, `{"primaryKey":null}`},
		{"creation with key", NewCreation("a", &key), `{"primaryKey":"k\"y"}`, `{"primaryKey":"k\"y"}`},
		{"rename", NewChange("a", &Change{NewUID: &renamed}),
			`{"primaryKey":null,"oldIndexUid":"a","newIndexUid":"new"}`, `{"primaryKey":null,"oldIndexUid":"a","newIndexUid":"new"}`},
		{"drop", NewIndexDeletion("a"), `{"deletedDocuments":null}`, `{"deletedDocuments":0}`},
		{"swap", NewSwap([]Swap{{Indexes: [2]string{"a", "b"}}}),
			`{"swaps":[{"indexes":["a","b"],"rename":false}]}`, `{"swaps":[{"indexes":["a","b"],"rename":false}]}`},
		{"no swap", NewSwap(nil), `{"swaps":[]}`, `{"swaps":[]}`},
		{"cancel", NewCancelation(4, "?uids=*", wire.Payload{}),
			`{"matchedTasks":4,"canceledTasks":null,"originalFilter":"?uids=*"}`, `{"matchedTasks":4,"canceledTasks":0,"originalFilter":"?uids=*"}`},
		{"snapshot", NewSnapshot(), ``, ``},
	} {
		if got := string(c.task.Details); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got := string(FailedDetails(c.task)); got != c.failed {
			t.Errorf("%s failed: %s, want %s", c.name, got, c.failed)
		}
	}
}

func TestMergeDetails(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     []string
		stored bool
		want   string
	}{
		{"counters are summed", []string{`{"receivedDocuments":1,"indexedDocuments":1}`, `{"receivedDocuments":2,"indexedDocuments":null}`}, true,
			`{"receivedDocuments":3,"indexedDocuments":1}`},
		{"nulls vanish when stored", []string{`{"deletedDocuments":null}`}, true, `{}`},
		{"nulls stay while running", []string{`{"deletedDocuments":null}`}, false, `{"deletedDocuments":null}`},
		{"filters are joined", []string{`{"providedIds":0,"deletedDocuments":1,"originalFilter":"\"a\""}`, `{"providedIds":2,"deletedDocuments":2,"originalFilter":null}`, `{"providedIds":0,"deletedDocuments":0,"originalFilter":"\"b\""}`}, true,
			`{"providedIds":2,"deletedDocuments":3,"originalFilter":"\"a\"&\"b\""}`},
		{"settings: last wins, resets stay, order of the table", []string{`{"stopWords":["a"],"chat":null}`, `{"rankingRules":null}`, `{"stopWords":null}`}, true,
			`{"rankingRules":null,"stopWords":null,"chat":null}`},
		{"embedders by name", []string{`{"embedders":{"b":{"source":"x"}}}`, `{"embedders":{"a":{}}}`}, true,
			`{"embedders":{"a":{},"b":{"source":"x"}}}`},
		{"swaps are listed", []string{`{"swaps":[]}`, `{"swaps":[{"indexes":["a","b"],"rename":false}]}`}, true, `{"swaps":[{"indexes":["a","b"],"rename":false}]}`},
		{"cancelation with what it canceled", []string{`{"receivedDocuments":1,"indexedDocuments":0}`, `{"matchedTasks":1,"canceledTasks":1,"originalFilter":"?uids=1"}`}, true,
			`{"receivedDocuments":1,"indexedDocuments":0,"matchedTasks":1,"canceledTasks":1,"originalFilter":"?uids=1"}`},
	} {
		in := make([][]byte, len(c.in))
		for i := range in {
			in[i] = []byte(c.in[i])
		}
		if got := string(MergeDetails(in, c.stored)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestStats(t *testing.T) {
	var s Stats
	s.Count(NewClear("b", nil), wire.Succeeded)
	s.Count(NewAddition("a", &Addition{}, wire.Payload{}, nil), wire.Failed)
	s.Count(NewSwap(nil), wire.Succeeded)
	want := `{"totalNbTasks":3,"status":{"succeeded":2,"failed":1},"types":{"documentAdditionOrUpdate":1,"documentDeletion":1,"indexSwap":1},"indexUids":{"a":1,"b":1}}`
	if got := string(s.JSON(nil)); got != want {
		t.Errorf("got %s", got)
	}
	var none Stats
	const empty = `{"totalNbTasks":0,"status":{},"types":{},"indexUids":{}`
	for want, f := range map[string]*Figures{
		`}`: {},
		`,"progressTrace":{"processing tasks > indexing":"81.07µs","processing tasks":"1.23ms"}}`: {
			Trace: []Span{{"processing tasks > indexing", 81070}, {"processing tasks", 1234567}}},
		`,"writeChannelCongestion":{"attempts":3,"blocking_attempts":0,"blocking_ratio":0.0},"internalDatabaseSizes":{"documents":"16 KiB (+8 KiB)"}}`: {
			Deltas: 3, Before: 8 << 10, After: 16 << 10},
		`,"internalDatabaseSizes":{"documents":"0 B (-4 KiB)"}}`: {Before: 4 << 10},
		`,"embedderRequests":{"total":3,"failed":0}}`:            {Embedders: wire.EmbedderFigures{Requests: 3}},
		`,"embedderRequests":{"total":3,"failed":1,"lastError":"runtime error: \"no\""}}`: {
			Embedders: wire.EmbedderFigures{Requests: 3, Failed: 1, LastError: `runtime error: "no"`}},
	} {
		if got := string(none.JSON(f)); got != empty+want {
			t.Errorf("got  %s\nwant %s", got, empty+want)
		}
	}
}
