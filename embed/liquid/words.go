package liquid

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordKind is the kind of a word of an expression.
type wordKind int

const (
	endWord      wordKind = iota
	literalWord           // a text, number, true, false, nil
	nameWord              // also and, or, in, contains
	propertyWord          // .name
	signWord              // operators and brackets
)

// word is one word of an expression.
type word struct {
	kind  wordKind
	text  string
	value any // of a literal
}

// signs are the operators, longest first.
var signs = []string{"==", "!=", "<>", ">=", "<=", "..", "<", ">", "|", ":", ",", "(", ")", "[", "]", "="}

// wordsOf cuts an expression into words.
func wordsOf(source string) ([]word, error) {
	var out []word
	for at := 0; at < len(source); {
		if c := source[at]; c < utf8.RuneSelf && unicode.IsSpace(rune(c)) {
			at++
			continue
		}
		w, n, err := nextWord(source[at:])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fmt.Errorf("syntax error in %q", source)
		}
		out = append(out, w)
		at += n
	}
	return append(out, word{}), nil
}

// nextWord reads the first word. n is 0 if there is none.
func nextWord(s string) (w word, n int, err error) {
	c := s[0]
	switch {
	case c == '"' || c == '\'':
		return textWord(s)
	case isDigit(c) || c == '-' && len(s) > 1 && isDigit(s[1]):
		return numberWord(s)
	case c == '.':
		if length := nameLength(s[1:]); length > 0 {
			return word{kind: propertyWord, text: s[1 : 1+length]}, 1 + length, nil
		}
	}
	if length := nameLength(s); length > 0 {
		return constantOrName(s[:length]), length, nil
	}
	for _, sign := range signs {
		if strings.HasPrefix(s, sign) {
			return word{kind: signWord, text: sign}, len(sign), nil
		}
	}
	return w, 0, nil
}

func constantOrName(name string) word {
	switch name {
	case "true", "false":
		return word{kind: literalWord, text: name, value: name == "true"}
	case "nil", "null":
		return word{kind: literalWord, text: name}
	}
	return word{kind: nameWord, text: name}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// nameLength is the length of the name at the start of s: letters, digits, _ and -, and an
// optional question mark at the end.
func nameLength(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		first := r == '_' || unicode.IsLetter(r)
		if !first && (n == 0 || r != '-' && !unicode.IsDigit(r) && !unicode.IsMark(r)) {
			break
		}
		n += size
	}
	if n > 0 && n < len(s) && s[n] == '?' {
		n++
	}
	return n
}

func numberWord(s string) (w word, n int, err error) {
	for n++; n < len(s) && isDigit(s[n]); n++ {
	}
	w.kind = literalWord
	if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) {
		for n++; n < len(s) && isDigit(s[n]); n++ {
		}
		w.value, err = strconv.ParseFloat(s[:n], 64)
	} else {
		w.value, err = strconv.Atoi(s[:n])
	}
	w.text = s[:n]
	if err != nil {
		err = fmt.Errorf("%q is no number", s[:n])
	}
	return w, n, err
}

// textWord reads a text in quotes. In double quotes \ begins an escape.
func textWord(s string) (w word, n int, err error) {
	if s[0] == '\'' {
		end := strings.IndexByte(s[1:], '\'')
		if end < 0 {
			return w, 0, nil
		}
		return word{kind: literalWord, value: s[1 : end+1]}, end + 2, nil
	}
	var out strings.Builder
	for n = 1; n < len(s); n++ {
		switch {
		case s[n] == '"':
			return word{kind: literalWord, value: out.String()}, n + 1, nil
		case s[n] == '\\' && n+1 < len(s):
			n++
			out.WriteString(unescaped(s[n]))
		default:
			out.WriteByte(s[n])
		}
	}
	return w, 0, nil
}

func unescaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '\\', '"':
		return string(rune(c))
	}
	return "\\" + string([]byte{c})
}
