package liquid

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// directive is one %... of a format.
type directive struct {
	unpadded bool
	// pad is the padding that was asked for, or 0.
	pad byte
	// casing is 0, '^' for capitals, or '#' for the other case.
	casing byte
	// width is -1 if none was given.
	width  int
	letter rune
	colons int
}

// maxWidth bounds the output of one directive.
const maxWidth = 1000

// directive reads the text after a %. n is its length. ok is false if it is cut off.
func readDirective(s string) (d directive, n int, ok bool) {
	d.width = -1
flags:
	for ; n < len(s); n++ {
		switch s[n] {
		case '-':
			d.unpadded = true
		case '_':
			d.pad = ' '
		case '0':
			d.pad = '0'
		case '^', '#':
			d.casing = s[n]
		default:
			break flags
		}
	}
	begin := n
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if begin < n {
		width, err := strconv.Atoi(s[begin:n])
		if err != nil {
			return d, n, false
		}
		d.width = width
	}
	next := func() bool {
		if n == len(s) {
			return false
		}
		letter, size := utf8.DecodeRuneInString(s[n:])
		d.letter = letter
		n += size
		return true
	}
	if !next() || (d.letter == 'E' || d.letter == 'O') && !next() {
		return d, n, false
	}
	if d.letter == ':' { // :z and ::z
		for d.colons = 1; d.letter == ':' && next(); {
			if d.letter == ':' && d.colons == 2 {
				d.letter = 0
			} else if d.letter == ':' {
				d.colons++
			}
		}
		if d.letter != 'z' {
			d.letter = 0
		}
	}
	return d, n, true
}

// formatTime writes a time by a strftime format. Unknown directives stay unchanged. ok is
// false if the format ends inside a directive.
func formatTime(b *Budget, t time.Time, format string) (out string, ok bool) {
	var text strings.Builder
	for format != "" {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			text.WriteString(format)
			break
		}
		text.WriteString(format[:at])
		d, n, ok := readDirective(format[at+1:])
		if !ok {
			return "", false
		}
		if d.width > maxWidth {
			b.room(maxBytes + 1)
		}
		b.step(1)
		b.room(text.Len() + max(0, d.width))
		piece, known := d.format(t)
		if !known {
			piece = format[at : at+1+n]
		}
		text.WriteString(piece)
		format = format[at+1+n:]
	}
	return text.String(), true
}

// words has the directives that are names.
var words = map[rune]string{'A': "Monday", 'a': "Mon", 'B': "January", 'b': "Jan", 'h': "Jan"}

// composed has the directives that abbreviate several others.
var composed = map[rune]string{
	'c': "Mon Jan _2 15:04:05 2006", 'D': "01/02/06", 'x': "01/02/06", 'F': "2006-01-02",
	'T': "15:04:05", 'X': "15:04:05", 'R': "15:04", 'r': "03:04:05 PM", 'v': "_2-Jan-2006",
}

func (d *directive) format(t time.Time) (string, bool) {
	if n, width, pad, ok := d.numberOf(t); ok {
		return d.paddedNumber(n, width, pad), true
	}
	if layout, ok := words[d.letter]; ok {
		return d.padded(t.Format(layout)), true
	}
	if layout, ok := composed[d.letter]; ok {
		if d.letter == 'v' {
			d.casing = '^'
		}
		d.unpadded = false // these are padded in any case
		return d.padded(t.Format(layout)), true
	}
	switch d.letter {
	case 'p', 'P':
		half := t.Format("PM")
		if (d.letter == 'p') == (d.casing == '#') && (d.letter == 'p' || d.casing == 0) {
			half = strings.ToLower(half)
		}
		d.casing = 0
		return d.padded(half), true
	case 'z', 'Z':
		return d.offset(t), true
	case 'N', 'L':
		return d.fraction(t), true
	case 'n':
		return d.padded("\n"), true
	case 't':
		return d.padded("\t"), true
	case '%':
		return d.padded("%"), true
	}
	return "", false
}

// numberOf is the number of a directive, its width and its padding.
func (d *directive) numberOf(t time.Time) (n, width int, pad byte, ok bool) {
	isoYear, isoWeek := t.ISOWeek()
	twelve := (t.Hour()+11)%12 + 1
	switch d.letter {
	case 'Y':
		return t.Year(), 4, '0', true
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

// fraction is the part of a second. Its leading zeros are missing, as in the reference.
func (d *directive) fraction(t time.Time) string {
	digits := 9
	if d.letter == 'L' {
		digits = 3
	}
	if d.width >= 0 {
		digits = d.width
	}
	n := t.Nanosecond()
	for range 9 - digits {
		n /= 10
	}
	text := strconv.Itoa(n)
	return text + strings.Repeat("0", max(0, digits-len(text)))
}

// offset is the distance from UTC.
func (d *directive) offset(t time.Time) string {
	_, seconds := t.Zone()
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	hours := strconv.Itoa(seconds / 3600)
	rest := fmt.Sprintf("%02d", seconds/60%60)
	if d.letter == 'Z' || d.colons > 0 {
		rest = ":" + rest
	}
	if d.colons == 2 {
		rest += fmt.Sprintf(":%02d", seconds%60)
	}
	width := max(2, d.width-1-len(rest))
	if d.pad != ' ' {
		return sign + strings.Repeat("0", max(0, width-len(hours))) + hours + rest
	}
	if hours == "0" { // the sign of the hours, which zero lacks
		sign = "+"
	}
	return strings.Repeat(" ", max(0, width-1-len(hours))) + sign + hours + rest
}

func (d *directive) paddedNumber(n, width int, pad byte) string {
	if d.pad != 0 {
		pad = d.pad
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	digits := strconv.Itoa(n)
	if d.unpadded {
		return sign + digits
	}
	width += len(sign)
	if d.width >= 0 {
		width = d.width
	}
	padding := strings.Repeat(string(pad), max(0, width-len(sign)-len(digits)))
	if pad == ' ' {
		return padding + sign + digits
	}
	return sign + padding + digits
}

// padded pads a text on the left according to flags and width.
func (d *directive) padded(text string) string {
	pad := " "
	if d.pad != 0 {
		pad = string(d.pad)
	}
	if !d.unpadded {
		text = strings.Repeat(pad, max(0, d.width-len(text))) + text
	}
	if d.casing != 0 {
		text = strings.ToUpper(text)
	}
	return text
}
