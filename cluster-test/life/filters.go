package life

import (
	"fmt"
	"strings"
)

// filter makes a filter expression with up to depth levels of operators.
func (w *World) filter(depth int) string {
	if depth > 0 {
		switch w.r.IntN(5) {
		case 0:
			return "(" + w.filter(depth-1) + ") AND (" + w.filter(depth-1) + ")"
		case 1:
			return "(" + w.filter(depth-1) + ") OR " + w.filter(depth-1)
		case 2:
			return "NOT (" + w.filter(depth-1) + ")"
		}
	}
	if w.Additions && w.chance(15) {
		return pick(w, []string{"", "NOT "}) + pick(w, []string{"nested.list", "nested.list", "nested.list.list", "nested"}) + ".{" + w.inObject(2) + "}"
	}
	switch w.r.IntN(16) {
	case 0, 1:
		return fmt.Sprintf("year %s %d", pick(w, []string{"=", "!=", ">", ">=", "<", "<="}), 1980+w.r.IntN(40))
	case 2:
		return fmt.Sprintf("year %d TO %d", 1980+w.r.IntN(20), 1995+w.r.IntN(25))
	case 3:
		return fmt.Sprintf("price %s %g", pick(w, []string{">", "<=", "="}), float64(w.r.IntN(4000))/8)
	case 4, 5:
		return fmt.Sprintf("genre %s %q", pick(w, []string{"=", "!="}), pick(w, genres))
	case 6:
		return fmt.Sprintf("tags = %s", pick(w, []string{"harbour", "meadow", "STAR", "café", "cafe"}))
	case 7:
		return fmt.Sprintf("tags %s [%s, %q]", pick(w, []string{"IN", "NOT IN"}), w.plainWord(), w.word())
	case 8:
		return pick(w, attributes) + pick(w, []string{" EXISTS", " NOT EXISTS", " IS NULL", " IS EMPTY", " IS NOT NULL", " IS NOT EMPTY"})
	case 9:
		return fmt.Sprintf("_geoRadius(%d, %d, %d)", w.r.IntN(140)-70, w.r.IntN(340)-170, w.r.IntN(5_000_000))
	case 10:
		lat, lng := w.r.IntN(100)-50, w.r.IntN(240)-120
		return fmt.Sprintf("_geoBoundingBox([%d, %d], [%d, %d])", lat+w.r.IntN(30), lng+w.r.IntN(60), lat, lng)
	case 11:
		return fmt.Sprintf("mixed = %s", pick(w, []string{"7", "seven", "true", "1", `""`, "-0.5"}))
	case 12:
		return fmt.Sprintf("nested.list.n = %d", w.r.IntN(5))
	case 13:
		return fmt.Sprintf("nested.deep = %q", w.word())
	case 14:
		return fmt.Sprintf("genre STARTS WITH %q", pick(w, []string{"s", "D", "É", "Sci"}))
	default:
		return fmt.Sprintf("id %s %d", pick(w, []string{">", "<", "="}), w.r.IntN(1500))
	}
}

// inObject makes what stands in braces.
func (w *World) inObject(depth int) string {
	if depth > 0 {
		switch w.r.IntN(6) {
		case 0, 1, 2:
			return w.inObject(depth-1) + " AND " + w.inObject(depth-1)
		case 3:
			return "(" + w.inObject(depth-1) + " OR NOT " + w.inObject(depth-1) + ")"
		case 4:
			return "list.{" + w.inObject(depth-1) + "}"
		}
	}
	return pick(w, []string{"n = 2", "n != 1", "n >= 2", "n 1 TO 3", "n IS NULL", "n IS EMPTY", "n IN [0, 3]", "s = large", "s STARTS WITH s", "s EXISTS", "s IS EMPTY", "list.n = 2", "list EXISTS", "deep > m"})
}

// plainWord needs no quotes in a filter.
func (w *World) plainWord() string {
	for {
		if s := w.word(); !strings.ContainsAny(s, "-'") && s != "in" && s != "to" && s != "and" {
			return s
		}
	}
}

// sort makes a sort parameter.
func (w *World) sort() []string {
	var out []string
	if w.Additions && w.chance(15) {
		out = append(out, fmt.Sprintf("_random(%d)", w.r.Uint32()))
	}
	for range 1 + w.r.IntN(2) {
		way := pick(w, []string{":asc", ":desc"})
		if w.chance(25) {
			out = append(out, fmt.Sprintf("_geoPoint(%d, %d)", w.r.IntN(140)-70, w.r.IntN(340)-170)+way)
			continue
		}
		out = append(out, pick(w, []string{"year", "price", "title", "mixed", "id", "genre"})+way)
	}
	return out
}
