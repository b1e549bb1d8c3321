package browser

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestDocumentsOfAnIndexAreBrowsed(t *testing.T) {
	_, b := stocked(t)
	b.goTo("indexes/films")
	b.do("open the documents", chromedp.Click(chromedp.Search(`//main//a[text()="Documents"]`)))
	b.sees("240 documents", "page 1 of 12", "Actor 019")
	b.press("Next")
	b.sees("page 2 of 12", "Actor 039")
	b.do("filter", chromedp.SetValue(`input[aria-label=Filter]`, "year = 1960 AND genre = Crime"))
	b.evaluate("tell the page", `document.querySelector('input[aria-label=Filter]').dispatchEvent(new Event('change')), 0`)
	b.sees("1 document", "Actor 170")
	b.evaluate("go back", `history.back()`)
	b.sees("page 2 of 12", "Actor 039")
	b.goTo("indexes/films/documents/39")
	b.sees("Voyage 39", "1989", "Actor 039")
	b.press("Delete")
	b.press("Delete it")
	b.sees("239 documents", "Document 39 is deleted.")
	b.goTo("indexes/films/documents?filter=%28")
	b.sees("Was expecting an operation")
}

func TestSynonymsAndStopWordsAreSetByForms(t *testing.T) {
	_, b := stocked(t)
	b.goTo("indexes/films")
	b.sees("Synonyms, a word a line")
	for label, text := range map[string]string{"Synonyms": "trip: voyage, journey", "Stop words": "the\na"} {
		b.do("set "+label, chromedp.SendKeys(chromedp.Search(`//label[starts-with(., "`+label+`")]/textarea`), text))
	}
	b.press("Show the difference and save")
	b.sees(`+ {"trip":["voyage","journey"]}`, `+ ["the","a"]`)
	b.press("Save")
	b.sees("The settings are in force.")
	b.becomes("the form afterwards", `[...document.querySelectorAll('label.stack')].find((l) => l.textContent.startsWith('Synonyms')).querySelector('textarea').value`, "trip: voyage, journey")
	b.goTo("search/films?q=trip")
	b.sees("240 hits in")
}

// The part asked for the index again when its reader left it: the request that was
// given up was thrown as an error of the page.
func TestLeavingAPartGivesUpItsRequestsInSilence(t *testing.T) {
	_, b := stocked(t)
	b.goTo("indexes/films")
	b.sees("Stop words")
	b.do("change a setting", chromedp.SendKeys(chromedp.Search(`//label[starts-with(., "Stop words")]/textarea`), "the"))
	b.press("Show the difference and save")
	b.sees(`+ ["the"]`)
	// From now on nothing is told of the index: whoever asks waits until it gives up.
	b.evaluate("hold answers", `window.held = 0, window.given = 0, window.usual = fetch, window.fetch = (path, options) => {
		if (path !== '/indexes/films' || options.method !== 'GET') return usual(path, options);
		held += 1;
		return new Promise((_, reject) => options.signal.addEventListener('abort', () => { given += 1; reject(options.signal.reason); }));
	}, 0`)
	b.press("Save")
	b.becomes("requests under way", `held`, "1")
	b.goTo("tasks")
	b.sees("Forget ended tasks")
	b.becomes("requests given up", `given`, "1")
	b.becomes("errors", faults, "0")
}

// The page took the address that came next for that of the part which had just got ready.
func TestALinkThatIsFollowedBeforeAPartIsReadyIsFollowed(t *testing.T) {
	_, b := stocked(t)
	b.evaluate("hold an answer", `window.usual = fetch, window.fetch = async (path, options) => {
		const answer = await usual(path, options);
		if (path !== '/multi-search') return answer;
		const text = await answer.text();
		await new Promise((resolve) => { window.release = resolve; });
		return { ok: true, headers: answer.headers, text: async () => text };
	}, 0`)
	b.goTo("search/films?q=voyage+7")
	b.becomes("an answer that is held", `typeof window.release`, "function")
	b.evaluate("let it go and follow a link", `release(), location.hash = '#/indexes', 0`)
	b.sees("Swap two")
}

func TestAPackedFileWithASeparatorOfItsOwnIsAdded(t *testing.T) {
	c, b := stocked(t)
	task, err := c.Nodes[0].Enqueue(t.Context(), "POST", "/indexes", map[string]any{"uid": "shelf"})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := c.Nodes[0].Wait(t.Context(), task); status != "succeeded" {
		t.Fatalf("index: %s, %v", status, err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("shelfmark;title\nA7;River, quiet\nB9;Sea\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "shelf.csv.gz")
	if err := os.WriteFile(file, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	b.goTo("indexes/shelf")
	b.do("say how to read it", chromedp.SetValue(`input[aria-label="Separator of CSV files"]`, ";"), chromedp.SendKeys(`input[aria-label="Primary key"]`, "shelfmark"))
	b.do("choose the file", chromedp.SetUploadFiles(`input[type=file]`, []string{file}))
	b.sees("2 documents indexed")
	b.goTo("indexes/shelf/documents/A7")
	b.sees("River, quiet")

	b.goTo("tasks")
	b.press("Make a dump")
	b.sees("dumpCreation")
}
