package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// facetOf is a script for the box of a facet.
func facetOf(name string) string {
	return `[...document.querySelectorAll('fieldset.facet')].find((f) => f.querySelector('legend').textContent === '` + name + `')`
}

// countsOf is a script for the values of a facet with their counts.
func countsOf(name string) string {
	return `[...` + facetOf(name) + `.querySelectorAll('li')].map((l) => l.innerText.trim().replace(/\s+/g, ' ')).join(', ')`
}

// tick chooses a value of a facet, or takes the choice back.
func (b *tab) tick(facet, value string) {
	b.t.Helper()
	b.becomes(value+" to tick", `[...`+facetOf(facet)+`.querySelectorAll('li')].some((l) => l.querySelector('.name').textContent === '`+value+`')`, "true")
	b.evaluate("tick "+value, `[...`+facetOf(facet)+`.querySelectorAll('li')].find((l) => l.querySelector('.name').textContent === '`+value+`').querySelector('input').click()`)
}

// bound types a bound of a facet of numbers.
func (b *tab) bound(label, value string) {
	b.t.Helper()
	b.do("bound "+label, chromedp.SetValue(`input[aria-label="`+label+`"]`, value))
	b.evaluate("tell the page", `document.querySelector('input[aria-label="`+label+`"]').dispatchEvent(new Event('change')), 0`)
}

func TestEveryValueOfAFacetCanBeChosenAndSeveralMeanAnyOfThem(t *testing.T) {
	_, b := stocked(t)
	b.goTo("search/films")
	b.sees("240 hits in", "Show more (100 of many)", "Only 100 values are counted")
	b.becomes("values at first", facetOf("actor")+`.querySelectorAll('li').length`, "10")
	b.evaluate("show more", facetOf("actor")+`.querySelector('button').click()`)
	b.becomes("values after a press", facetOf("actor")+`.querySelectorAll('li').length`, "100")

	b.do("search in the values", chromedp.SendKeys(`input[aria-label="Search in the values of actor"]`, "actor 239"))
	b.tick("actor", "Actor 239")
	b.sees("1 hit in", "Voyage 239")
	b.press("Clear all filters")
	b.sees("240 hits in")
	if got := b.evaluate("the focus", `document.activeElement.type`); got != "search" {
		t.Errorf("after the filters went the focus is on %q, want the search", got)
	}

	b.bound("year, least value", "2010")
	b.bound("year, greatest value", "2010")
	b.sees("3 hits in", "year: from 2010 to 2010")
	b.press("Clear all filters")
	b.sees("240 hits in")

	// Values of one facet are joined by OR, facets by AND.
	b.tick("genre", "Drama")
	b.sees("80 hits in", "genre: Drama")
	b.becomes("counts without the facet's own filter", countsOf("genre"), "Comedy 80, Crime 80, Drama 80")
	b.tick("genre", "Crime")
	b.sees("160 hits in", "genre: Crime")
	b.bound("year, least value", "2020")
	b.sees("20 hits in")
	b.becomes("counts with the filters of other facets", countsOf("genre"), "Comedy 10, Crime 10, Drama 10")
	b.evaluate("remove a chip", `document.querySelector('[aria-label="Remove the filter genre: Crime"]').click()`)
	b.sees("10 hits in")
	if got := b.evaluate("the focus", `document.activeElement.textContent`); got != "genre: Drama ×" {
		t.Errorf("after a chip went the focus is on %q, want the next chip", got)
	}
}

// shownSearch is a script for all that the part Search shows of a query.
const shownSearch = `[document.querySelector('main input[type=search]')?.value,
	[...document.querySelectorAll('fieldset.facet input:checked')].map((e) => e.closest('label').querySelector('.name').textContent).join(' '),
	[...document.querySelectorAll('.range input')].map((e) => e.value).join('-'),
	document.querySelector('select[aria-label=Sort]')?.value,
	document.querySelector('nav[aria-label=Pages] span')?.textContent,
	document.querySelector('#hits h2')?.textContent].join('; ')`

func TestTheAddressOfASearchShowsItAgain(t *testing.T) {
	_, b := stocked(t)
	b.becomes("the address", `location.hash`, "#/search/films")
	b.do("search", chromedp.SendKeys(`main input[type=search]`, "voyage"))
	b.becomes("the address", `location.hash`, "#/search/films?q=voyage")
	b.tick("genre", "Drama")
	b.sees("80 hits in")
	b.bound("year, least value", "2000")
	b.sees("30 hits in")
	b.evaluate("sort", `((s) => (s.value = 'year:desc', s.dispatchEvent(new Event('change'))))(document.querySelector('select[aria-label=Sort]'))`)
	b.becomes("the newest film", `document.querySelector('#hits h2')?.textContent`, "1. Voyage 159")
	b.press("Next")

	states := []string{
		"voyage; Drama; 2000-; year:desc; page 2 of 2; 21. Voyage 219",
		"voyage; Drama; 2000-; year:desc; page 1 of 2; 1. Voyage 159",
		"voyage; Drama; 2000-; ; page 1 of 2; 1. Voyage 51",
		"voyage; Drama; -; ; page 1 of 4; 1. Voyage 0",
		"voyage; ; -; ; page 1 of 12; 1. Voyage 0",
		"; ; -; ; page 1 of 12; 1. Voyage 0",
	}
	b.becomes("the search", shownSearch, states[0])
	b.becomes("the address", `location.hash`, "#/search/films?q=voyage&sort=year%3Adesc&page=2&f.genre=Drama&min.year=2000")
	b.do("reload", chromedp.Reload())
	b.becomes("the search after a reload", shownSearch, states[0])
	for _, state := range states[1:] {
		b.evaluate("go back", `history.back()`)
		b.becomes("the search before", shownSearch, state)
	}
	b.evaluate("go forward", `history.go(5)`)
	b.becomes("the search after", shownSearch, states[0])

	b.goTo("search/films?page=-1&min.year=1%29+OR+%28year+%3E+0&f.genre=Crime&f.genre=Drama")
	b.becomes("what an odd address says", shownSearch, "; Crime Drama; -; ; page 1 of 8; 1. Voyage 0")
}
