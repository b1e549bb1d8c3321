package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"shoal/api/apierr"
)

// isFilterKeyword tells the words that cannot be a field or value unquoted.
func isFilterKeyword(word string) bool {
	switch word {
	case "AND", "OR", "IN", "NOT", "TO", "EXISTS", "IS", "NULL", "EMPTY", "CONTAINS", "STARTS", "WITH", "_geoRadius", "_geoBoundingBox":
		return true
	}
	return false
}

// blanks skips space, tab and line ends.
func (p *filterParser) blanks(at int) int {
	for at < len(p.src) && (p.src[at] == ' ' || p.src[at] == '\t' || p.src[at] == '\n' || p.src[at] == '\r') {
		at++
	}
	return at
}

func (p *filterParser) has(at int, text string) bool { return strings.HasPrefix(p.src[at:], text) }

// wordEnd returns where the word at a position ends: letters, digits, "_", "-"
// and ".".
func (p *filterParser) wordEnd(at int) int {
	for at < len(p.src) {
		size := wordRune(p.src[at:])
		if size == 0 {
			break
		}
		at += size
	}
	return at
}

// wordRune returns the size of the first character of s if it may stand in a
// word, else 0.
func wordRune(s string) int {
	c := s[0]
	if c < utf8.RuneSelf {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(s)
	if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Other_Alphabetic, r) {
		return size
	}
	return 0
}

// keyword matches a whole word with optional blanks around it.
func (p *filterParser) keyword(at int, word string) (int, bool) {
	at = p.blanks(at)
	end := at + len(word)
	if !p.has(at, word) || p.wordEnd(at) != end {
		return 0, false
	}
	return p.blanks(end), true
}

// phrase matches texts separated by one or more blanks.
func (p *filterParser) phrase(at int, texts ...string) (int, bool) {
	for i, text := range texts {
		if i > 0 {
			next := p.blanks(at)
			if next == at {
				return 0, false
			}
			at = next
		}
		if !p.has(at, text) {
			return 0, false
		}
		at += len(text)
	}
	return at, true
}

// value parses a quoted string or a word that is no keyword, with blanks around
// it. Geo words misused as values are refused at once.
func (p *filterParser) value(at int) (FilterToken, int, *filterFault) {
	for at < len(p.src) {
		r, size := utf8.DecodeRuneInString(p.src[at:])
		if !unicode.IsSpace(r) {
			break
		}
		at += size
	}
	if fault := p.misusedGeo(at); fault != nil {
		return FilterToken{}, at, fault
	}
	token, end, fault := p.rawValue(at)
	if fault != nil {
		return FilterToken{}, at, fault
	}
	if fault = p.decode(&token); fault != nil {
		return FilterToken{}, at, fault
	}
	return token, p.blanks(end), nil
}

// misusedGeo refuses the reserved geo words where a value is due.
func (p *filterParser) misusedGeo(at int) *filterFault {
	if !p.has(at, "_geo") {
		return nil
	}
	reserved := ""
	switch word := p.src[at:p.wordEnd(at)]; {
	case strings.HasPrefix(word, "_geoPoint"):
		reserved = "_geoPoint"
	case strings.HasPrefix(word, "_geoDistance"):
		reserved = "_geoDistance"
	case word == "_geo":
		reserved = "_geo"
	case word == "_geoRadius":
		return p.faultAt(at, says(apierr.FilterTextMisusedRadius))
	case word == "_geoBoundingBox":
		return p.faultAt(at, says(apierr.FilterTextMisusedBox))
	default:
		return nil
	}
	return p.faultAt(at, says(apierr.FilterTextReservedGeo(reserved)))
}

// rawValue finds the token at a position; escapes are not decoded yet, except
// that an escaped closing quote is a quote.
func (p *filterParser) rawValue(at int) (FilterToken, int, *filterFault) {
	if at < len(p.src) && (p.src[at] == '\'' || p.src[at] == '"') {
		return p.quoted(at)
	}
	end := p.wordEnd(at)
	word := p.src[at:end]
	if word != "" && !isFilterKeyword(word) {
		return p.token(at, end), end, nil
	}
	stop := at + strings.IndexFunc(p.src[at:], p.endsValue)
	if stop < at {
		stop = len(p.src)
	}
	keyword := word != ""
	fault := p.faultIn(at, stop, func(x string) string { return apierr.FilterTextValue(x, keyword) })
	fault.soft, fault.keyword = true, keyword
	return FilterToken{}, at, fault
}

// isFilterSyntax tells the characters that end the fragment of a bad value.
func isFilterSyntax(r rune) bool {
	switch r {
	case '(', ')', '=', '<', '>', '!':
		return true
	}
	return unicode.IsSpace(r)
}

// endsValue is isFilterSyntax, and the end of open braces.
func (p *filterParser) endsValue(r rune) bool { return isFilterSyntax(r) || r == '}' && p.within != "" }

// quoted parses a value in quotes; at is the opening quote.
func (p *filterParser) quoted(at int) (FilterToken, int, *filterFault) {
	quote := p.src[at]
	escaped := false
	for i := at + 1; i < len(p.src); i++ {
		switch p.src[i] {
		case quote:
			token := p.token(at+1, i)
			if escaped {
				token.Value = strings.ReplaceAll(token.Value, `\`+string(quote), string(quote))
			}
			return token, i + 1, nil
		case '\\':
			if i++; i == len(p.src) {
				return FilterToken{}, at, p.faultAt(at+1, apierr.FilterTextMalformed)
			}
			escaped = escaped || p.src[i] == quote
		}
	}
	return FilterToken{}, at, p.faultAt(at, func(x string) string { return apierr.FilterTextDelimiter(x, string(quote)) })
}

func (p *filterParser) token(from, to int) FilterToken {
	return FilterToken{Value: p.src[from:to], source: p.src, from: from, to: to, shown: p.shown}
}

// decode decodes the escape sequences of a token.
func (p *filterParser) decode(t *FilterToken) *filterFault {
	value, bad := decodeEscapes(t.Value)
	t.Value = value
	var fault *filterFault
	switch bad {
	case escapeFine:
		return nil
	case escapeIncomplete:
		return &filterFault{incomplete: true}
	case escapeNumber:
		fault = p.faultIn(t.from, t.to, apierr.FilterTextEscape)
	default:
		fault = p.faultIn(t.from, t.to, apierr.FilterTextMalformed)
	}
	fault.soft = true
	return fault
}
