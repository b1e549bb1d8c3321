package purpose

import (
	"regexp"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelNumbers levels a search for numbers after disableOnNumbers was turned off. Both servers
// must answer alike when the numbers are quoted, so that they take no typos.
func levelNumbers(e *Evidence, ours, theirs *Parsed) {
	body, ok := bodyOf(e.Request)
	if !ok || e.Request.Write || ours.status != 200 || theirs.status != 200 || !e.numbersTakeTyposAgain() {
		return
	}
	quoted := func(words string) string { return numbers.ReplaceAllString(words, `"$0"`) }
	if !strings.Contains(stringAt(&body, "q"), `"`) && body.Get("queries") == nil && e.agreesFor(&body, quoted) {
		theirs.parts = ours.parts
	}
}

// levelMovedNumbers levels a search for numbers after settings changed disableOnNumbers and
// searchableAttributes or disableOnAttributes. Both servers must answer alike without the numbers.
func levelMovedNumbers(e *Evidence, ours, theirs *Parsed) {
	changed := func(setting string) bool {
		return slices.ContainsFunc(e.Sent, func(r life.Request) bool { return r.Write && strings.Contains(r.String(), setting) })
	}
	if changed(`"disableOnNumbers"`) && (changed(`"searchableAttributes"`) || changed(`"disableOnAttributes"`)) {
		e.eachSearch(ours, theirs, (*Evidence).levelWithoutNumbers)
	}
}

func (e *Evidence) levelWithoutNumbers(body, a, b *jsonvalue.Value) {
	without := func(words string) string { return numbers.ReplaceAllString(words, "") }
	if a.JSON() != b.JSON() && e.agreesFor(body, without) {
		*b = *a
	}
}

// numbers are the words of a query with a digit.
var numbers = regexp.MustCompile(`\S*[0-9]\S*`)

// numbersTakeTyposAgain tells whether disableOnNumbers was turned on and off.
func (e *Evidence) numbersTakeTyposAgain() bool {
	on := false
	for i := range e.Sent {
		switch r := &e.Sent[i]; {
		case !r.Write || !strings.Contains(r.Path, "/settings"):
		case strings.Contains(r.String(), `"disableOnNumbers":true`):
			on = true
		case on && numbersOff.MatchString(r.String()):
			return true
		}
	}
	return false
}

// numbersOff turns disableOnNumbers off.
var numbersOff = regexp.MustCompile(`"disableOnNumbers":(false|null)|"typoTolerance":null|^DELETE .*/settings(/typo-tolerance)?`)
