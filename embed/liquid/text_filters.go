package liquid

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// pieceBytes is the memory of a part of a text in a list.
const pieceBytes = 48

// textNamed is a parameter of kind text.
func textNamed(name string) param { return param{name: name, kind: textParam} }

// optionally is a parameter that may be left out.
func optionally(p param) param {
	p.optional = true
	return p
}

var (
	searchOnly       = []param{textNamed("search")}
	searchAndReplace = []param{textNamed("search"), optionally(textNamed("replace"))}
	oneText          = []param{textNamed("string")}
	lengthAndMark    = []param{{name: "length", kind: wholeParam, optional: true}, optionally(textNamed("ellipsis"))}
)

var textFilters = map[string]*filter{
	"append":         {params: oneText, apply: ofText(func(c *call, s string) any { return c.together(s, c.word(0, "")) })},
	"prepend":        {params: oneText, apply: ofText(func(c *call, s string) any { return c.together(c.word(0, ""), s) })},
	"capitalize":     {apply: ofText(func(_ *call, s string) any { return capitalized(s) })},
	"downcase":       {apply: ofText(func(_ *call, s string) any { return lowered(s) })},
	"upcase":         {apply: ofText(func(_ *call, s string) any { return raised(s) })},
	"escape":         {apply: unlessNil(func(c *call, s string) any { return c.escaped(s, false) })},
	"escape_once":    {apply: unlessNil(func(c *call, s string) any { return c.escaped(s, true) })},
	"newline_to_br":  {apply: ofText(func(c *call, s string) any { return c.replacedAll(s, "\n", "<br />\n") })},
	"strip_newlines": {apply: ofText(func(_ *call, s string) any { return noBreaks.Replace(s) })},
	"strip_html": {apply: ofText(func(_ *call, s string) any {
		for _, m := range markup {
			s = m.ReplaceAllString(s, "")
		}
		return s
	})},
	"strip":         {apply: ofText(func(_ *call, s string) any { return strings.TrimSpace(s) })},
	"lstrip":        {apply: ofText(func(_ *call, s string) any { return strings.TrimLeftFunc(s, unicode.IsSpace) })},
	"rstrip":        {apply: ofText(func(_ *call, s string) any { return strings.TrimRightFunc(s, unicode.IsSpace) })},
	"remove":        {params: searchOnly, apply: ofText(func(c *call, s string) any { return strings.ReplaceAll(s, c.word(0, ""), "") })},
	"remove_first":  {params: searchOnly, apply: ofText(func(c *call, s string) any { return strings.Replace(s, c.word(0, ""), "", 1) })},
	"replace":       {params: searchAndReplace, apply: ofText(func(c *call, s string) any { return c.replacedAll(s, c.word(0, ""), c.word(1, "")) })},
	"replace_first": {params: searchAndReplace, apply: ofText(func(c *call, s string) any { return strings.Replace(s, c.word(0, ""), c.word(1, ""), 1) })},
	"url_encode":    {apply: unlessNil(func(c *call, s string) any { return c.encoded(s) })},
	"url_decode":    {apply: unlessNil(func(_ *call, s string) any { return decoded(s) })},
	"split":         {params: []param{textNamed("pattern")}, apply: ofText(func(c *call, s string) any { return c.split(s, c.word(0, "")) })},
	"slice": {params: []param{{name: "offset", kind: wholeParam}, {name: "length", kind: wholeParam, optional: true}},
		apply: func(c *call, in any) any { return c.slice(in) }},
	"truncate":      {params: lengthAndMark, apply: func(c *call, in any) any { return c.truncated(in) }},
	"truncatewords": {params: lengthAndMark, shownAs: "truncate", apply: func(c *call, in any) any { return c.truncatedWords(in) }},
}

// ofText makes a filter of what the input is as text.
func ofText(f func(*call, string) any) func(*call, any) any {
	return func(c *call, in any) any { return f(c, c.text(in)) }
}

// unlessNil is ofText for filters that leave nil as it is.
func unlessNil(f func(*call, string) any) func(*call, any) any {
	return func(c *call, in any) any {
		if in == nil {
			return nil
		}
		return f(c, c.text(in))
	}
}

func (c *call) together(a, b string) string {
	c.budget.room(len(a) + len(b))
	return a + b
}

// lowered and raised know letters whose other form is longer, and the final sigma.
func lowered(s string) string { return cases.Lower(language.Und).String(s) }

func raised(s string) string { return cases.Upper(language.Und).String(s) }

func capitalized(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return raised(s[:n]) + s[n:]
}

var (
	noBreaks = strings.NewReplacer("\r", "", "\n", "")
	markup   = []*regexp.Regexp{
		regexp.MustCompile(`(?is)<script.*?</script>`), regexp.MustCompile(`(?is)<style.*?</style>`),
		regexp.MustCompile(`(?is)<!--.*?-->`), regexp.MustCompile(`(?is)<.*?>`),
	}
)

// entities are the characters that escape replaces.
var entities = map[byte]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&#39;"}

// escaped escapes a text; once keeps what is escaped already.
func (c *call) escaped(s string, once bool) string {
	var out strings.Builder
	for at := 0; at < len(s); at++ {
		entity, ok := entities[s[at]]
		switch {
		case !ok:
			out.WriteByte(s[at])
		case once && s[at] == '&' && isEntity(s[at:]):
			out.WriteByte('&')
		default:
			out.WriteString(entity)
		}
		if at&0xfff == 0 {
			c.budget.room(out.Len())
		}
	}
	return out.String()
}

func isEntity(s string) bool {
	for _, entity := range entities {
		if strings.HasPrefix(s, entity) {
			return true
		}
	}
	return false
}

// replacedAll replaces all occurrences of a text.
func (c *call) replacedAll(s, old, fresh string) string {
	if n := strings.Count(s, old); len(fresh) > len(old) && n > (maxBytes-len(s))/(len(fresh)-len(old)) {
		c.budget.room(maxBytes + 1)
	}
	return strings.ReplaceAll(s, old, fresh)
}

// encoded escapes everything but letters, digits, "-", "." and "_" for a URL.
func (c *call) encoded(s string) string {
	c.budget.room(3 * len(s))
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(s) {
		if b := s[i]; isLetter(b) || isDigit(b) || strings.IndexByte("-._", b) >= 0 {
			out.WriteByte(b)
		} else {
			out.Write([]byte{'%', hex[b>>4], hex[b&15]})
		}
	}
	return out.String()
}

// decoded is the text of an escaped one. "%" without two digits stays.
func decoded(s string) string {
	s = strings.ReplaceAll(s, "+", " ")
	var out strings.Builder
	for at := 0; at < len(s); {
		if s[at] == '%' && at+3 <= len(s) {
			if b, err := url.PathUnescape(s[at : at+3]); err == nil {
				out.WriteString(b)
				at += 3
				continue
			}
		}
		out.WriteByte(s[at])
		at++
	}
	if !utf8.ValidString(out.String()) {
		stop(invalidInput("Malformed UTF-8"))
	}
	return out.String()
}

// split splits a text. At nothing it splits between all letters and at both ends.
func (c *call) split(s, at string) list {
	if s == "" {
		return list{}
	}
	c.budget.spend(pieceBytes * (strings.Count(s, at) + 1))
	parts := strings.Split(s, at)
	if at == "" {
		parts = append(append([]string{""}, parts...), "")
	}
	out := make(list, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out
}

// slice is a part of a text or list, from an index (from the end if negative). A text
// counts its bytes to find the end, and its letters to find the part, as in the reference.
func (c *call) slice(in any) any {
	from, count := c.count(0, 0), c.count(1, 1)
	if count < 1 {
		stop(invalidArgument("length", "Positive number expected"))
	}
	if l, ok := in.(list); ok {
		a, b := part(from, count, len(l), len(l))
		return slicesOf(l, a, b)
	}
	s := c.text(in)
	letters := []rune(s)
	c.budget.spend(4 * len(letters))
	a, b := part(from, count, len(s), len(letters))
	return string(letters[a:b])
}

func slicesOf(l list, a, b int) list { return append(list{}, l[a:b]...) }

// part is the part of n items that slice takes when it counts `size` of them.
func part(from, count, size, n int) (begin, end int) {
	if from = min(from, size); from < 0 {
		from += size
	}
	if from < 0 || from > n {
		return n, n
	}
	return from, from + min(count, max(size-from, 0), n-from)
}

// truncated shortens a text that has more bytes than `length`. Of the text there remain as
// many letters as `length` exceeds the bytes of the mark.
func (c *call) truncated(in any) any {
	most, mark := c.count(0, 50), c.word(1, "...")
	s := c.text(in)
	if most < 0 || most >= len(s) {
		return in
	}
	end, state := 0, -1
	for range max(0, most-len(mark)) {
		var letter string
		if letter, _, _, state = uniseg.FirstGraphemeClusterInString(s[end:], state); letter == "" {
			break
		}
		end += len(letter)
	}
	return s[:end] + mark
}

// truncatedWords shortens a text that has more words than `length`. A single space ends a
// word.
func (c *call) truncatedWords(in any) any {
	most, mark := c.count(0, 50), c.word(1, "...")
	s := c.text(in)
	if most < 0 || most > strings.Count(s, " ") {
		return in
	}
	end := -1
	for range most {
		end += 1 + strings.IndexByte(s[end+1:], ' ')
	}
	return s[:max(0, end)] + mark
}
