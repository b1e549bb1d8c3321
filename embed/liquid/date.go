package liquid

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// layouts are the accepted forms of dates.
var layouts = []string{
	time.RFC3339, "2006-01-02", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05", "2006-01-02 15:04",
	"2006-01-02T15:04:05", "20060102T150405Z",
	time.RFC1123Z, time.RFC1123, time.RFC822Z, time.RFC822, time.RFC850, time.ANSIC, time.UnixDate, time.RubyDate,
	"2 January 2006", "2 Jan 2006", "January 2, 2006", "January 2 2006", "Jan 2, 2006", "Jan 2 2006",
}

// timeOf converts a value to a time. It may be seconds since 1970 or a date.
func timeOf(v any) (time.Time, bool) {
	switch v := v.(type) {
	case int:
		return time.Unix(int64(v), 0), true
	case float64:
		whole, rest := math.Modf(v)
		return time.Unix(int64(wholeOf(whole)), int64(rest*1e9)), true
	case string:
		if v == "now" || v == "today" {
			return time.Now(), true
		}
		if seconds, err := strconv.ParseInt(v, 10, 64); err == nil {
			return time.Unix(seconds, 0), true
		}
		for _, layout := range layouts {
			if t, err := time.ParseInLocation(layout, v, time.Local); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// directive is one %... of a format.
type directive struct {
	flags  string
	width  int // 0 = its own
	colons int
	letter byte
}

// maxWidth bounds the output of one directive.
const maxWidth = 1000

// readDirective reads the text after a %. n is 0 if it is not a directive.
func readDirective(s string) (d directive, n int) {
	for n < len(s) && strings.IndexByte("-0^#_", s[n]) >= 0 {
		n++
	}
	d.flags = s[:n]
	begin := n
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if begin < n {
		width, err := strconv.Atoi(s[begin:n])
		if err != nil {
			width = math.MaxInt
		}
		d.width = width
	}
	for n < len(s) && s[n] == ':' && d.colons < 2 {
		d.colons++
		n++
	}
	if n == len(s) {
		return d, 0
	}
	d.letter = s[n]
	return d, n + 1
}

// formatTime writes a time by a strftime format. Unknown directives stay unchanged.
func formatTime(b *Budget, t time.Time, format string) (string, error) {
	var out strings.Builder
	for format != "" {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			out.WriteString(format)
			break
		}
		out.WriteString(format[:at])
		d, n := readDirective(format[at+1:])
		if d.width > maxWidth {
			b.room(maxBytes + 1)
			return "", errFormat
		}
		b.step(1)
		b.room(out.Len() + d.width)
		piece, known := "", false
		if n > 0 {
			piece, known = d.format(b, t)
		}
		if !known {
			n = max(n, 0)
			piece = format[at : at+1+n]
		}
		out.WriteString(piece)
		format = format[at+1+n:]
	}
	return out.String(), nil
}

// layoutOf has the directives that a layout of package time can write.
var layoutOf = map[byte]string{'A': "Monday", 'a': "Mon", 'B': "January", 'b': "Jan", 'h': "Jan", 'Z': "MST"}

// composed has the directives that abbreviate several others.
var composed = map[byte]string{
	'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d", 'T': "%H:%M:%S", 'X': "%H:%M:%S",
	'R': "%H:%M", 'r': "%I:%M:%S %p", 'v': "%e-%^b-%Y",
}

func (d directive) format(b *Budget, t time.Time) (string, bool) {
	if layout, ok := layoutOf[d.letter]; ok {
		return d.padded(t.Format(layout), ' ', 0), true
	}
	if n, width, pad, ok := d.numberOf(t); ok {
		return d.paddedNumber(n, width, pad), true
	}
	switch d.letter {
	case 'p', 'P':
		half := "AM"
		if t.Hour() >= 12 {
			half = "PM"
		}
		if d.letter == 'P' || strings.Contains(d.flags, "#") {
			half = strings.ToLower(half)
		}
		return d.padded(half, ' ', 0), true
	case 'z':
		return d.padded(t.Format([]string{"-0700", "-07:00", "-07:00:00"}[d.colons]), '0', 0), true
	case 'N', 'L':
		return d.fraction(t), true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case '%':
		return "%", true
	}
	if format, ok := composed[d.letter]; ok {
		text, err := formatTime(b, t, format)
		return d.padded(text, ' ', 0), err == nil
	}
	return "", false
}

// numberOf is the number of a directive, its width and its padding.
func (d directive) numberOf(t time.Time) (n, width int, pad byte, ok bool) {
	isoYear, isoWeek := t.ISOWeek()
	twelve := (t.Hour()+11)%12 + 1
	switch d.letter {
	case 'Y':
		return t.Year(), 0, '0', true
	case 'C':
		return t.Year() / 100, 2, '0', true
	case 'y':
		return t.Year() % 100, 2, '0', true
	case 'G':
		return isoYear, 4, '0', true
	case 'g':
		return isoYear % 100, 2, '0', true
	case 'm':
		return int(t.Month()), 2, '0', true
	case 'd':
		return t.Day(), 2, '0', true
	case 'e':
		return t.Day(), 2, ' ', true
	case 'j':
		return t.YearDay(), 3, '0', true
	case 'H':
		return t.Hour(), 2, '0', true
	case 'k':
		return t.Hour(), 2, ' ', true
	case 'I':
		return twelve, 2, '0', true
	case 'l':
		return twelve, 2, ' ', true
	case 'M':
		return t.Minute(), 2, '0', true
	case 'S':
		return t.Second(), 2, '0', true
	case 's':
		return int(t.Unix()), 0, '0', true
	case 'u':
		return (int(t.Weekday())+6)%7 + 1, 0, '0', true
	case 'w':
		return int(t.Weekday()), 0, '0', true
	case 'V':
		return isoWeek, 2, '0', true
	case 'U':
		return (t.YearDay() + 6 - int(t.Weekday())) / 7, 2, '0', true
	case 'W':
		return (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7, 2, '0', true
	}
	return 0, 0, 0, false
}

// fraction is the part of a second, truncated to the directive's number of digits.
func (d directive) fraction(t time.Time) string {
	digits := 9
	if d.letter == 'L' {
		digits = 3
	}
	if d.width > 0 {
		digits = d.width
	}
	text := fmt.Sprintf("%09d", t.Nanosecond())
	if digits > len(text) {
		text += strings.Repeat("0", digits-len(text))
	}
	return text[:digits]
}

func (d directive) paddedNumber(n, width int, pad byte) string {
	if n < 0 {
		return "-" + d.paddedNumber(-n, width, pad)
	}
	return d.padded(strconv.Itoa(n), pad, width)
}

// padded pads a text on the left according to flags and width.
func (d directive) padded(text string, pad byte, width int) string {
	for i := range len(d.flags) {
		switch d.flags[i] {
		case '-':
			return text
		case '_':
			pad = ' '
		case '0':
			pad = '0'
		case '^', '#':
			text = strings.ToUpper(text)
		}
	}
	if d.width > 0 {
		width = d.width
	}
	if missing := width - len(text); missing > 0 {
		text = strings.Repeat(string(pad), missing) + text
	}
	return text
}
