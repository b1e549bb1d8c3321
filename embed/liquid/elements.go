package liquid

import "strings"

// elementKind is the kind of a piece of a template.
type elementKind int

const (
	endElement elementKind = iota
	textElement
	outputElement // {{ ... }}
	tagElement    // {% name words %}
	// wrongElement is text that looks like the start of braces and is none.
	wrongElement
)

// element is one piece of a template.
type element struct {
	kind       elementKind
	begin, end int // its place in the template
	chain      *chain
	name       string // of a tag
	words      []word
}

// word is one word of a tag: a value with filters, a range, or a sign.
type word struct {
	text    string // as written
	chain   *chain
	between *between
}

// next reads the element at the current place. {{- and -}} take the white space beside
// them into the element.
func (s *scanner) next() element {
	begin := s.at
	if begin == len(s.source) {
		return element{kind: endElement, begin: begin, end: begin}
	}
	run := begin
	for run < len(s.source) && isSpace(s.source[run]) {
		run++
	}
	rest := s.source[run:]
	trims := strings.HasPrefix(rest, "{{-") || strings.HasPrefix(rest, "{%-")
	if !trims && !strings.HasPrefix(s.source[begin:], "{{") && !strings.HasPrefix(s.source[begin:], "{%") {
		return s.text()
	}
	e := element{kind: wrongElement, begin: begin}
	switch {
	case s.output(&e, run):
		e.kind = outputElement
	case s.tag(&e, run):
		e.kind = tagElement
	default:
		// The white space before braces that are none belongs to them.
		s.at = run + 1
	}
	e.end = s.at
	return e
}

// text reads up to the next start of braces.
func (s *scanner) text() element {
	e := element{kind: textElement, begin: s.at}
	for s.at < len(s.source) {
		run := s.at
		for run < len(s.source) && isSpace(s.source[run]) {
			run++
		}
		rest := s.source[run:]
		if strings.HasPrefix(rest, "{{-") || strings.HasPrefix(rest, "{%-") {
			break
		}
		s.at = run
		if strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "{%") {
			break
		}
		if rest != "" {
			s.at++
		}
	}
	e.end = s.at
	return e
}

// output reads {{ ... }} whose braces begin at run. When there is none, the place where s
// stands means nothing.
func (s *scanner) output(e *element, run int) bool {
	s.at = run
	if !s.open("{{") {
		return false
	}
	c, ok := s.chain()
	s.spaces()
	if !ok || !s.close("}}") {
		return false
	}
	e.chain = c
	return true
}

// tag reads {% ... %} likewise.
func (s *scanner) tag(e *element, run int) bool {
	s.at = run
	if !s.open("{%") {
		return false
	}
	name, ok := s.identifier()
	if !ok {
		return false
	}
	var words []word
	for {
		s.spaces()
		w, ok := s.word()
		if !ok {
			break
		}
		words = append(words, w)
	}
	if !s.close("%}") {
		return false
	}
	e.name, e.words = name, words
	return true
}

func (s *scanner) open(braces string) bool {
	if !s.literally(braces) {
		return false
	}
	s.literally("-")
	s.spaces()
	return true
}

func (s *scanner) close(braces string) bool {
	if s.literally("-" + braces) {
		s.spaces()
		return true
	}
	return s.literally(braces)
}
