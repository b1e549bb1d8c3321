package liquid

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateForms are the accepted forms of dates, followed by an offset from UTC. Their fields
// have a fixed number of digits.
var dateForms = []struct {
	form   *regexp.Regexp
	layout string
}{
	{regexp.MustCompile(`^[+-]?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}$`), "2006-01-02 15:04:05 -0700"},
	{regexp.MustCompile(`^\d\d [A-Z][a-z]+ \d{4} \d\d:\d\d:\d\d [+-]\d{4}$`), "02 January 2006 15:04:05 -0700"},
	{regexp.MustCompile(`^\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}$`), "02 Jan 2006 15:04:05 -0700"},
	{regexp.MustCompile(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d [+-]\d{4}$`), "01/02/2006 15:04:05 -0700"},
	{regexp.MustCompile(`^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d \d{4} [+-]\d{4}$`), "Mon Jan 2 15:04:05 2006 -0700"},
}

var dateOffset = regexp.MustCompile(`[+-][01][0-9]{3}$`)

// latest and earliest bound the dates that there are.
var (
	earliest = time.Date(-9999, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// timeOf converts a text to a time: now, seconds since 1970, or a date with a time.
func timeOf(s string) (time.Time, bool) {
	if word := strings.TrimSpace(strings.ToLower(s)); word == "now" || word == "today" {
		return time.Now().UTC(), true
	}
	if seconds, err := strconv.ParseInt(s, 10, 64); err == nil {
		t := time.Unix(seconds, 0).UTC()
		return t, len(strings.TrimLeft(s, "+-")) <= 14 && !t.Before(earliest) && !t.After(latest)
	}
	if !dateOffset.MatchString(s) {
		s += " +0000"
	}
	for _, d := range dateForms {
		if !d.form.MatchString(s) {
			continue
		}
		year := strings.HasPrefix(s, "-")
		if t, err := time.Parse(d.layout, strings.TrimLeft(s, "+-")); err == nil {
			if year {
				t = t.AddDate(-2*t.Year(), 0, 0)
			}
			return t, true
		}
	}
	return time.Time{}, false
}
