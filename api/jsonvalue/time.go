package jsonvalue

import (
	"strconv"
	"time"
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
