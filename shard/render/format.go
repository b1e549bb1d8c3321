package render

// options define how the texts of a field are shown.
type options struct {
	highlight bool
	crop      int // words; 0 does not crop
	hasCrop   bool
	field     int // the id of the field with the crop
}

// formats reports whether texts may change.
func (o options) formats() bool { return o.highlight || o.hasCrop }

// style is the texts that formatting inserts.
type style struct{ pre, post, marker string }

// bytes returns the number of bytes that a match highlights, from its start.
func (a *analysis) bytes(m *match) int {
	return charsPrefix(a.raw[m.start:], m.chars)
}

// format returns the text cropped and highlighted (spec ranking 10.3, 10.4).
func (a *analysis) format(o options, s *style) string {
	start, end := 0, len(a.raw)
	if o.crop > 0 {
		start, end = crop(a.raw, &a.cuts, a.matches, o.crop)
	}
	out := make([]byte, 0, max(0, end-start)+32)
	if start > 0 {
		out = append(out, s.marker...)
	}
	at := start
	if o.highlight {
		for i := range a.matches {
			m := &a.matches[i]
			from, to := m.start, m.end
			if to < start || from > end {
				continue
			}
			if from, to = max(from, start), min(to, end); from > to {
				continue // the window ends before it starts
			}
			if at < from {
				out = append(out, a.raw[at:from]...)
			}
			marked := min(from+charsPrefix(a.raw[from:], m.chars), to)
			out = append(append(append(out, s.pre...), a.raw[from:marked]...), s.post...)
			out = append(out, a.raw[marked:to]...)
			at = to
		}
	}
	if at < end {
		out = append(out, a.raw[at:end]...)
	}
	if end < len(a.raw) {
		out = append(out, s.marker...)
	}
	return string(out)
}
