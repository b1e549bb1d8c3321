package text

// group is a run of one script with the neutral characters after it.
type group struct {
	start, end int
	script     Script
	language   Language
}

// nextGroup finds the group that starts at a byte offset (spec ranking 1.2) and
// decides its script and language (1.3).
func (s *scanner) nextGroup(start int) group {
	g := group{start: start}
	var c census
	g.end = c.take(s.text[start:]) + start
	g.script = c.winner()
	g.language = languageOf(g.script, s.text[start:g.end], &c, s.t.locales)
	return g
}
