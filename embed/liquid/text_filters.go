package liquid

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pieceBytes is the memory of a part of a text in a list.
const pieceBytes = 48

var textFilters = map[string]*filter{
	"append":         {most: 1, apply: ofText(func(c *call, s string) string { return c.together(s, c.argText(0, "")) })},
	"prepend":        {most: 1, apply: ofText(func(c *call, s string) string { return c.together(c.argText(0, ""), s) })},
	"capitalize":     {most: 1, apply: ofText(func(_ *call, s string) string { return capitalized(s) })},
	"downcase":       {most: 1, apply: ofText(func(_ *call, s string) string { return strings.ToLower(s) })},
	"upcase":         {most: 1, apply: ofText(func(_ *call, s string) string { return strings.ToUpper(s) })},
	"escape":         {apply: ofText(func(c *call, s string) string { return c.replaced(entities, s, 5) })},
	"escape_once":    {most: 1, apply: ofText(func(c *call, s string) string { return c.escapedOnce(s) })},
	"newline_to_br":  {apply: ofText(func(c *call, s string) string { return c.replaced(breaks, s, 7) })},
	"strip_newlines": {apply: ofText(func(_ *call, s string) string { return noBreaks.Replace(s) })},
	"strip_html":     {apply: ofText(func(_ *call, s string) string { return markup.ReplaceAllString(s, "") })},
	"strip":          {apply: ofText(func(_ *call, s string) string { return strings.TrimSpace(s) })},
	"lstrip":         {apply: ofText(func(_ *call, s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) })},
	"rstrip":         {apply: ofText(func(_ *call, s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) })},
	"handle":         {apply: ofText(func(_ *call, s string) string { return handle(s) })},
	"handleize":      {apply: ofText(func(_ *call, s string) string { return handle(s) })},
	"remove":         {most: 1, apply: ofText(func(c *call, s string) string { return strings.ReplaceAll(s, c.argText(0, ""), "") })},
	"remove_first":   {most: 1, apply: ofText(func(c *call, s string) string { return strings.Replace(s, c.argText(0, ""), "", 1) })},
	"remove_last":    {most: 1, apply: ofText(func(c *call, s string) string { return c.replacedLast(s, c.argText(0, ""), "") })},
	"replace":        {most: 2, apply: ofText(func(c *call, s string) string { return c.replacedAll(s, c.argText(0, ""), c.argText(1, "")) })},
	"replace_first": {most: 2, apply: ofText(func(c *call, s string) string {
		return strings.Replace(s, c.argText(0, ""), c.argText(1, ""), 1)
	})},
	"replace_last": {most: 2, apply: ofText(func(c *call, s string) string {
		return c.replacedLast(s, c.argText(0, ""), c.argText(1, ""))
	})},
	"url_encode": {apply: ofText(func(c *call, s string) string {
		c.budget.room(3 * len(s))
		return url.QueryEscape(s)
	})},
	"url_decode": {apply: func(c *call, in any) (any, error) { return url.QueryUnescape(c.text(in)) }},
	"split": {most: 1, apply: func(c *call, in any) (any, error) {
		return c.split(c.text(in), c.argText(0, "")), nil
	}},
	"slice": {most: 2, apply: func(c *call, in any) (any, error) { return c.slice(in) }},
	"truncate": {most: 2, apply: func(c *call, in any) (any, error) {
		most, err := c.argWhole(0, 50)
		return truncated(c.text(in), most, c.argText(1, "...")), err
	}},
	"truncatewords": {most: 2, apply: func(c *call, in any) (any, error) {
		most, err := c.argWhole(0, 15)
		return truncatedWords(c.text(in), most, c.argText(1, "...")), err
	}},
}

// ofText makes a filter of text.
func ofText(f func(*call, string) string) func(*call, any) (any, error) {
	return func(c *call, in any) (any, error) { return f(c, c.text(in)), nil }
}

func (c *call) together(a, b string) string {
	c.budget.room(len(a) + len(b))
	return a + b
}

func capitalized(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

var (
	entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
	breaks   = strings.NewReplacer("\r\n", "<br />\n", "\n", "<br />\n")
	noBreaks = strings.NewReplacer("\r\n", "", "\n", "")
	markup   = regexp.MustCompile(`(?is)<script.*?</script>|<style.*?</style>|<!--.*?-->|<.*?>`)
	entity   = regexp.MustCompile(`^&(?:[a-zA-Z][a-zA-Z0-9]*|#[0-9]+|#[xX][0-9a-fA-F]+);`)
	spaces   = regexp.MustCompile(`[[:space:]]+`)
	notPlain = regexp.MustCompile(`[^a-z0-9]+`)
)

// replaced replaces single characters, each of which grows by at most `more` bytes.
func (c *call) replaced(by *strings.Replacer, s string, more int) string {
	chars := `&<>"'`
	if by == breaks {
		chars = "\n"
	}
	n := len(s)
	for i := range len(chars) {
		n += more * strings.Count(s, chars[i:i+1])
	}
	c.budget.room(n)
	return by.Replace(s)
}

// escapedOnce escapes text except existing entities.
func (c *call) escapedOnce(s string) string {
	var out strings.Builder
	for s != "" {
		if s[0] == '&' {
			if e := entity.FindString(s); e != "" {
				out.WriteString(e)
				s = s[len(e):]
				continue
			}
		}
		next := strings.IndexByte(s[1:], '&') + 1
		if next == 0 {
			next = len(s)
		}
		out.WriteString(c.replaced(entities, s[:next], 5))
		c.budget.room(out.Len())
		s = s[next:]
	}
	return out.String()
}

func handle(s string) string {
	return strings.Trim(notPlain.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

func (c *call) replacedAll(s, old, fresh string) string {
	if n := strings.Count(s, old); len(fresh) > len(old) && n > (maxBytes-len(s))/(len(fresh)-len(old)) {
		c.budget.room(maxBytes + 1)
	}
	return strings.ReplaceAll(s, old, fresh)
}

func (c *call) replacedLast(s, old, fresh string) string {
	at := strings.LastIndex(s, old)
	if at < 0 {
		return s
	}
	return s[:at] + fresh + s[at+len(old):]
}

// split splits a text. Empty parts at the end are dropped.
func (c *call) split(s, at string) list {
	c.budget.spend(pieceBytes * (strings.Count(s, at) + 1))
	var parts []string
	if at == " " {
		parts = spaces.Split(s, -1)
	} else {
		parts = strings.Split(s, at)
	}
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	out := make(list, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out
}

// slice is a part of a text or list, from an index (from the end if negative).
func (c *call) slice(in any) (any, error) {
	from, err := c.argWhole(0, 0)
	if err != nil {
		return nil, err
	}
	count, err := c.argWhole(1, 1)
	if err != nil {
		return nil, err
	}
	part := func(n int) (int, int) {
		if from < 0 {
			from = max(0, from+n)
		}
		from = min(from, n)
		return from, from + max(0, min(count, n-from))
	}
	switch v := in.(type) {
	case string:
		letters := []rune(v)
		c.budget.spend(4 * len(letters))
		a, b := part(len(letters))
		return string(letters[a:b]), nil
	case list, span:
		l, err := c.list(v)
		a, b := part(len(l))
		return l[a:b], err
	}
	return nil, nil
}

func runes(s string) int { return utf8.RuneCountInString(s) }

// truncated shortens a text to at most `most` characters, including the text that marks the
// cut.
func truncated(s string, most int, more string) string {
	if runes(s) <= most {
		return s
	}
	keep := max(0, most-runes(more))
	at := 0
	for range keep {
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return s[:at] + more
}

// truncatedWords shortens a text to at most `most` words.
func truncatedWords(s string, most int, more string) string {
	most = max(1, most)
	inside := false
	words := 0
	for i, r := range s {
		if unicode.IsSpace(r) {
			if inside && words == most {
				if strings.TrimSpace(s[i:]) == "" {
					return s
				}
				return s[:i] + more
			}
			inside = false
			continue
		}
		if !inside {
			words++
		}
		inside = true
	}
	return s
}
