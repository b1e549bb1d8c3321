package main

import (
	"encoding/json"
	"regexp"
	"strings"
)

// levelNumbers levels a search for numbers after disableOnNumbers was turned off. Both servers
// must answer alike when the numbers are quoted, so that they take no typos.
func levelNumbers(e *evidence, ours, theirs *parsed) {
	body, ok := bodyOf(e.request)
	if !ok || e.request.Write || ours.status != 200 || theirs.status != 200 || !e.numbersTakeTyposAgain() {
		return
	}
	words := stringAt(&body, "q")
	quoted := numbers.ReplaceAllString(words, `"$0"`)
	if quoted == words || strings.Contains(words, `"`) {
		return
	}
	var search map[string]json.RawMessage
	if json.Unmarshal([]byte(body.JSON()), &search) != nil {
		return
	}
	search["q"] = rawBody(quoted)
	if p, q, ok := e.again(rawBody(search)); ok && p.text() == q.text() {
		theirs.parts = ours.parts
	}
}

// numbers are the words of a query with a digit.
var numbers = regexp.MustCompile(`\S*[0-9]\S*`)

// numbersTakeTyposAgain tells whether disableOnNumbers was turned on and off.
func (e *evidence) numbersTakeTyposAgain() bool {
	on := false
	for i := range e.sent {
		switch r := &e.sent[i]; {
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
