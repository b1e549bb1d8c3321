package liquid

import (
	"strconv"
	"strings"
)

// scanner reads the inside of braces. Each method reads one construct at the current place
// and moves behind it. If there is none, it says so and does not move.
type scanner struct {
	source string
	at     int
	depth  int
	// tooDeep is set when brackets are nested deeper than maxNesting.
	tooDeep bool
}

// isSpace tells whether a byte is white space between words. A tab is not.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' }

// spaces skips white space.
func (s *scanner) spaces() {
	for s.at < len(s.source) && isSpace(s.source[s.at]) {
		s.at++
	}
}

// literally reads the given text.
func (s *scanner) literally(text string) bool {
	if !strings.HasPrefix(s.source[s.at:], text) {
		return false
	}
	s.at += len(text)
	return true
}

// identifier reads a name: ASCII letters, digits, "_" and "-". A "-" that belongs to the
// end of braces is no part of it.
func (s *scanner) identifier() (string, bool) {
	begin := s.at
	for s.at < len(s.source) {
		c := s.source[s.at]
		rest := s.source[s.at:]
		ok := isLetter(c) || c == '_' || isDigit(c) && s.at > begin ||
			c == '-' && !strings.HasPrefix(rest, "-}}") && !strings.HasPrefix(rest, "-%}")
		if !ok {
			break
		}
		s.at++
	}
	return s.source[begin:s.at], s.at > begin
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// value reads a literal or a variable.
func (s *scanner) value() (expression, bool) {
	if l, ok := s.literal(); ok {
		return l, true
	}
	return s.variable()
}

// constants are the literals with a name. A name that begins with one of them is that
// literal and a rest, as in the reference.
var constants = []struct {
	name  string
	value any
}{{"nil", nil}, {"null", nil}, {"empty", stateEmpty}, {"blank", stateBlank}}

func (s *scanner) literal() (expression, bool) {
	for _, c := range constants {
		if s.literally(c.name) {
			return literal{c.value}, true
		}
	}
	if text, ok := s.quoted(); ok {
		return literal{text}, true
	}
	if number, ok := s.number(); ok {
		return literal{number}, true
	}
	for _, truth := range []bool{true, false} {
		if s.literally(strconv.FormatBool(truth)) {
			return literal{truth}, true
		}
	}
	return nil, false
}

// quoted reads a text in quotes. There are no escapes.
func (s *scanner) quoted() (string, bool) {
	rest := s.source[s.at:]
	if rest == "" || rest[0] != '\'' && rest[0] != '"' {
		return "", false
	}
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return "", false
	}
	s.at += end + 2
	return rest[1 : 1+end], true
}

func (s *scanner) digits() int {
	begin := s.at
	for s.at < len(s.source) && isDigit(s.source[s.at]) {
		s.at++
	}
	return s.at - begin
}

// number reads an integer or a fraction. An integer beyond 64 bits is none; the reference
// crashes on it.
func (s *scanner) number() (any, bool) {
	begin := s.at
	if s.at < len(s.source) && (s.source[s.at] == '+' || s.source[s.at] == '-') {
		s.at++
	}
	if s.digits() == 0 {
		s.at = begin
		return nil, false
	}
	end := s.at
	if s.literally(".") && s.digits() > 0 {
		if f, ok := fractionOf(s.source[begin:s.at]); ok {
			return f, true
		}
	}
	s.at = end
	n, err := strconv.Atoi(s.source[begin:end])
	if err != nil {
		s.at = begin
		return nil, false
	}
	return n, true
}

// variable reads a name and its indexes, with no white space before them.
func (s *scanner) variable() (expression, bool) {
	name, ok := s.identifier()
	if !ok {
		return nil, false
	}
	v := variable{name: name}
	for {
		index, ok := s.index()
		if !ok {
			return v, true
		}
		v.indexes = append(v.indexes, index)
	}
}

// index reads .name or [value].
func (s *scanner) index() (expression, bool) {
	begin := s.at
	if s.literally(".") {
		if name, ok := s.identifier(); ok {
			return literal{name}, true
		}
	}
	s.at = begin
	if s.literally("[") {
		if s.depth++; s.depth > maxNesting {
			s.tooDeep = true
		}
		defer func() { s.depth-- }()
		s.spaces()
		if !s.tooDeep {
			if v, ok := s.value(); ok {
				s.spaces()
				if s.literally("]") {
					return v, true
				}
			}
		}
	}
	s.at = begin
	return nil, false
}

// chain reads a value and its filters.
func (s *scanner) chain() (*chain, bool) {
	begin := s.at
	of, ok := s.value()
	if !ok {
		return nil, false
	}
	c := &chain{of: of}
	for {
		end := s.at
		s.spaces()
		if !s.literally("|") {
			break
		}
		s.spaces()
		f, ok := s.filterCall()
		if !ok {
			s.at = end
			break
		}
		c.calls = append(c.calls, f)
	}
	c.source = strings.TrimSpace(s.source[begin:s.at])
	return c, true
}

// filterCall reads NAME or NAME: ARGUMENT, ...
func (s *scanner) filterCall() (filterCall, bool) {
	begin := s.at
	name, ok := s.identifier()
	if !ok {
		return filterCall{}, false
	}
	f := filterCall{name: name}
	end := s.at
	s.spaces()
	for separator := ":"; s.literally(separator); separator = "," {
		s.spaces()
		a, ok := s.argument()
		if !ok {
			break
		}
		f.args = append(f.args, a)
		end = s.at
		s.spaces()
	}
	// The reference shows the space behind a filter with at most one argument.
	f.source = s.source[begin:end]
	if len(f.args) < 2 {
		f.source = s.source[begin:s.at]
	}
	s.at = end
	return f, true
}

// argument reads NAME: VALUE or VALUE.
func (s *scanner) argument() (argument, bool) {
	begin := s.at
	if name, ok := s.identifier(); ok {
		s.spaces()
		if s.literally(":") {
			s.spaces()
			if v, ok := s.value(); ok {
				return argument{name: name, value: v}, true
			}
		}
	}
	s.at = begin
	v, ok := s.value()
	return argument{value: v}, ok
}

// between reads (FROM..TO).
func (s *scanner) between() (*between, bool) {
	begin := s.at
	if s.literally("(") {
		s.spaces()
		if from, ok := s.value(); ok {
			s.spaces()
			if s.literally("..") {
				s.spaces()
				if to, ok := s.value(); ok {
					s.spaces()
					if s.literally(")") {
						return &between{from, to}, true
					}
				}
			}
		}
	}
	s.at = begin
	return nil, false
}

// signs are the operators of tags, longest first.
var signs = []string{"==", "!=", "<>", ">=", "<=", ">", "<", "=", ",", ":"}

// word reads one word of a tag.
func (s *scanner) word() (word, bool) {
	begin := s.at
	if b, ok := s.between(); ok {
		return word{text: s.source[begin:s.at], between: b}, true
	}
	if c, ok := s.chain(); ok {
		return word{text: c.source, chain: c}, true
	}
	for _, sign := range signs {
		if s.literally(sign) {
			return word{text: sign}, true
		}
	}
	return word{}, false
}
