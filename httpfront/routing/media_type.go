package routing

import "strings"

// MediaType is the media type of a Content-Type header, in small letters.
type MediaType struct {
	Kind, Subtype string
	Suffix        string // behind the last + of the subtype
}

// ParseMediaType parses a Content-Type header by the rules of the reference, which are
// stricter than those of package mime: no space before a semicolon, and all parameters are
// whole. ok is false if the header breaks them.
func ParseMediaType(header string) (m MediaType, ok bool) {
	if !visible(header) {
		return m, false
	}
	slash := tokenEnd(header)
	if slash == 0 || slash == len(header) || header[slash] != '/' {
		return m, false
	}
	rest := header[slash+1:]
	end := tokenEnd(rest)
	if end < len(rest) && (end == 0 || rest[end] != ';' || !wholeParameters(rest[end+1:])) {
		return m, false
	}
	m.Kind, m.Subtype = strings.ToLower(header[:slash]), strings.ToLower(rest[:end])
	if plus := strings.LastIndexByte(m.Subtype, '+'); plus > 0 {
		m.Subtype, m.Suffix = m.Subtype[:plus], m.Subtype[plus+1:]
	}
	return m, true
}

// wholeParameters tells whether what follows the first semicolon is a list of parameters.
func wholeParameters(s string) (ok bool) {
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		end := tokenEnd(s)
		if end == 0 || end == len(s) || s[end] != '=' {
			return false
		}
		if s, ok = cutParameter(s[end+1:]); !ok {
			return false
		}
	}
	return true
}

// cutParameter removes a value and the semicolon behind it.
func cutParameter(s string) (rest string, ok bool) {
	end := tokenEnd(s)
	if s != "" && s[0] == '"' {
		// A quote right behind the first one is part of the text, as in the reference.
		closing := 2
		for closing < len(s) && s[closing] != '"' {
			closing++
		}
		if closing >= len(s) || strings.Contains(s[:closing], "\t") {
			return "", false
		}
		s = strings.TrimLeft(s[closing+1:], " ")
		end = 0
	} else if end == 0 && s != "" {
		return "", false
	}
	if end == len(s) {
		return "", true
	}
	return s[end+1:], s[end] == ';'
}

// tokenEnd is the length of the token at the beginning of s.
func tokenEnd(s string) int {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return i
		}
	}
	return len(s)
}

// visible tells whether a header has only visible ASCII, spaces and tabs.
func visible(header string) bool {
	return !strings.ContainsFunc(header, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') })
}
