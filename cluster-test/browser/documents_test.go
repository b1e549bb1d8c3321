package browser

import (
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
