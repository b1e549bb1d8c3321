package text

import "shoal/text/language"

// group is a run of one script with the neutral characters after it.
type group struct {
	start, end int
	script     language.Script
	language   language.Language
}

// nextGroup finds the group that starts at a byte offset (spec ranking 1.2) and
// decides its script and language (1.3).
func (s *scanner) nextGroup(start int) group {
	g := group{start: start}
	var c language.Census
	g.end = c.Take(s.text[start:]) + start
	g.script = c.Winner()
	g.language = language.Of(g.script, s.text[start:g.end], &c, s.t.locales)
	return g
}
