package jsonvalue

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendTime appends a UnixNano as a quoted RFC 3339 date in UTC with up to nine fraction
// digits and no trailing zeros (spec tasks-auth-ops-api 1.5). 0 is null.
func AppendTime(dst []byte, nanos int64) []byte {
	if nanos == 0 {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = time.Unix(0, nanos).UTC().AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"')
}

// ParseRFC3339 reads a date of the years 0 to 9999 and keeps its offset. As in the reference,
// any single byte may stand between date and time, and a leap second is the last nanosecond
// before it.
func ParseRFC3339(text string) (time.Time, bool) {
	if len(text) < len("2006-01-02T15:04:05Z") || text[10] >= utf8.RuneSelf ||
		text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':' {
		return time.Time{}, false
	}
	zone, nanos, ok := parseFraction(text[19:])
	if !ok {
		return time.Time{}, false
	}
	offset, ok := parseOffset(zone)
	if !ok {
		return time.Time{}, false
	}
	var parts [6]int
	for i, digits := range []string{text[:4], text[5:7], text[8:10], text[11:13], text[14:16], text[17:19]} {
		if parts[i], ok = parseDigits(digits); !ok {
			return time.Time{}, false
		}
	}
	year, month, day, hour, minute, second := parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]
	leap := second == 60
	if leap {
		second, nanos = 59, int(time.Second-1)
	}
	place := time.UTC
	if offset != 0 {
		place = time.FixedZone("", offset)
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, place)
	if t.Month() != time.Month(month) || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	if leap { // leap seconds end a month
		if next := t.UTC().Add(1); next.Day() != 1 || next.Hour() != 0 || next.Minute() != 0 {
			return time.Time{}, false
		}
	}
	return t, true
}

// parseFraction reads an optional fraction of a second, and returns what follows. Digits after
// the ninth do not count.
func parseFraction(text string) (rest string, nanos int, ok bool) {
	if text[0] != '.' {
		return text, 0, true
	}
	n := 1
	for scale := int(time.Second); n < len(text) && '0' <= text[n] && text[n] <= '9'; n++ {
		scale /= 10
		nanos += int(text[n]-'0') * scale
	}
	return text[n:], nanos, n > 1
}

// parseOffset reads what stands behind the time: Z, or hours and minutes. It returns seconds.
func parseOffset(zone string) (int, bool) {
	if zone == "Z" || zone == "z" {
		return 0, true
	}
	if len(zone) != len("+00:00") || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':' {
		return 0, false
	}
	hours, ok := parseDigits(zone[1:3])
	minutes, okay := parseDigits(zone[4:6])
	if !ok || !okay || hours > 23 || minutes > 59 {
		return 0, false
	}
	seconds := (hours*60 + minutes) * 60
	if zone[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// parseDigits reads a number of which every byte is a digit.
func parseDigits(text string) (n int, ok bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// ParseDay reads YYYY-MM-DD as the midnight in UTC with which the day begins. As in the
// reference, the year may have a sign.
func ParseDay(text string) (time.Time, bool) {
	sign := 1
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	if len(text) != len(time.DateOnly) {
		return time.Time{}, false
	}
	t, ok := ParseRFC3339(text + "T00:00:00Z")
	if !ok || sign > 0 {
		return t, ok
	}
	year, month, day := t.Date()
	t = time.Date(-year, month, day, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == day
}

// Nanos is the UnixNano of a date. A date beyond its range, for example of the year 9999, is
// the first or last moment of the range.
func Nanos(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// ISODuration writes a duration as tasks show it: seconds with 0, 3, 6 or 9 fraction
// digits, preceded by days, never minutes or hours (spec tasks-auth-ops-api 2.3).
func ISODuration(d time.Duration) string {
	days, rest := d/(24*time.Hour), d%(24*time.Hour)
	out := []byte{'P'}
	if days != 0 {
		out = append(strconv.AppendInt(out, int64(days), 10), 'D')
		if rest == 0 {
			return string(out)
		}
	}
	seconds, nanos := rest/time.Second, int64(rest%time.Second)
	out = strconv.AppendInt(append(out, 'T'), int64(seconds), 10)
	width := 9
	switch {
	case nanos == 0:
		return string(append(out, 'S'))
	case nanos%1e6 == 0:
		width, nanos = 3, nanos/1e6
	case nanos%1e3 == 0:
		width, nanos = 6, nanos/1e3
	}
	digits := strconv.FormatInt(nanos, 10)
	out = append(out, '.')
	for i := len(digits); i < width; i++ {
		out = append(out, '0')
	}
	return string(append(append(out, digits...), 'S'))
}
