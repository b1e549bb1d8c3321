package text

import (
	"unicode/utf8"

	"shoal/text/segment"
)

// segmenter returns the segmenter of the current group, or nil if its stretches stay whole
// (spec ranking 1.5).
func (s *scanner) segmenter() segment.Func {
	return segment.Of(s.t.dictionaries, s.group.script, s.group.language)
}

// scanSegmented is scanWhole for groups whose stretches are cut.
func (s *scanner) scanSegmented(segment segment.Func) bool {
	text := s.text[:s.group.end]
	for i := s.group.start; i < len(text); {
		start, pattern := i, 0
		for i < len(text) {
			size := 1
			if c := s.t.class[text[i]]; c&classStop != 0 {
				if pattern, size = s.patternAt(text[i:], c); pattern > 0 {
					break
				}
			}
			i += size
		}
		if i > start && !s.cut(segment, start, i) {
			return false
		}
		if pattern > 0 {
			if !s.pattern(i, i+pattern) {
				return false
			}
			i += pattern
		}
	}
	return true
}

// cut yields the segments of one stretch.
func (s *scanner) cut(cut segment.Func, start, end int) bool {
	stretch := s.text[start:end]
	if segment.IsNumeric(stretch) {
		return s.emit(start, end, utf8.RuneCountInString(stretch))
	}
	at := start
	return cut(stretch, func(length int) bool {
		from := at
		at += length
		return s.emit(from, at, utf8.RuneCountInString(s.text[from:at]))
	})
}
