package driver_test

import (
	"fmt"
	"slices"
	"strings"

	"shoal/coordinator/score"

	"shoal/coordinator/driver"
	"shoal/query/rule"
)

// run is the bucket sort of spec ranking 5.1, as written there.
func (w *twin) run() string {
	keyword := len(w.c.lexis.Parse(w.q(), nil).Terms) > 0
	plan := w.c.plan(w.q(), w.o)
	rules := plan.Placeholder
	universe := w.base()
	var g *twinGraph
	if keyword {
		w.pin()
		if w.c.settings.ProximityPrecision == "byAttribute" {
			w.startPairs()
		}
		g = w.graph()
		rules = plan.Rules
		universe = w.universe(g)
	}
	w.found = map[uint32]bool{}
	for _, d := range universe {
		w.found[d.ord] = true
	}
	s := &twinSort{w: w, rules: rules}
	if len(rules) == 0 {
		s.inOrder(universe)
	} else {
		s.sort(universe, g)
	}
	if w.o.exhaustive && w.o.distinct != "" {
		var rest []*twinDoc
		for _, d := range w.docs {
			if w.found[d.ord] {
				rest = append(rest, d)
			}
		}
		w.found = map[uint32]bool{}
		for _, d := range w.greedy(rest) {
			w.found[d.ord] = true
		}
	}
	var b strings.Builder
	for _, h := range s.out {
		fmt.Fprintf(&b, "%d %v %s\n", h.Ordinal, h.Details.Score(), h.Details.AppendJSON(nil, w.c.settings))
	}
	total := 0
	for _, yes := range w.found {
		if yes {
			total++
		}
	}
	fmt.Fprintf(&b, "total %d, touched %v\n", total, w.touched)
	return b.String()
}

func (w *twin) share(a, b *twinDoc) bool {
	f := w.o.distinct
	return slices.ContainsFunc(a.nums[f], func(n float64) bool { return slices.Contains(b.nums[f], n) }) ||
		slices.ContainsFunc(a.strs[f], func(s string) bool { return slices.Contains(b.strs[f], s) })
}

func (w *twin) greedy(docs []*twinDoc) (kept []*twinDoc) {
	for _, d := range docs {
		if !slices.ContainsFunc(kept, func(k *twinDoc) bool { return w.share(k, d) }) {
			kept = append(kept, d)
		}
	}
	return kept
}

type twinLevel struct {
	next func(left []*twinDoc) *twinBucket
	left []*twinDoc
}

type twinSort struct {
	w       *twin
	rules   []rule.Rule
	levels  []*twinLevel
	details score.Details
	out     []driver.Hit
}

func (s *twinSort) push(docs []*twinDoc, g *twinGraph) {
	l := &twinLevel{left: docs}
	switch r := s.rules[len(s.levels)]; r.Kind {
	case rule.Sort:
		l.next = s.w.sortRule(r, g)
	case rule.ExactAttribute:
		l.next = s.w.exactAttribute(g)
	case rule.Proximity:
		if s.w.pairs != nil {
			l.next = s.w.attributeRule(g)
			break
		}
		l.next = s.w.graphRule(r.Kind, g)
	default:
		l.next = s.w.graphRule(r.Kind, g)
	}
	s.levels = append(s.levels, l)
}

func minus(a, b []*twinDoc) (out []*twinDoc) {
	for _, d := range a {
		if !slices.Contains(b, d) {
			out = append(out, d)
		}
	}
	return out
}

func (s *twinSort) sort(universe []*twinDoc, g *twinGraph) {
	want := s.w.o.limit
	if s.w.o.exhaustive && s.w.o.threshold > 0 {
		want = 1000
	}
	s.push(universe, g)
	for len(s.out) < want {
		cur := len(s.levels) - 1
		l := s.levels[cur]
		var b *twinBucket
		if len(l.left) > 0 {
			b = l.next(l.left)
		}
		if b == nil {
			if len(l.left) > 0 && s.w.on == nil {
				panic(fmt.Sprintf("rule %d leaves documents in no bucket: %v", cur, l.left))
			}
			s.levels = s.levels[:cur]
			if cur == 0 {
				return
			}
			s.details = s.details[:len(s.details)-1]
			continue
		}
		s.details = append(s.details, b.detail)
		l.left = minus(l.left, b.docs)
		below := s.w.o.threshold > 0 && s.details.Score() < s.w.o.threshold
		if !below && cur < len(s.rules)-1 {
			s.push(b.docs, b.graph)
			continue
		}
		if below {
			for _, d := range append(slices.Clone(b.docs), l.left...) {
				s.w.found[d.ord] = false
			}
		} else {
			s.add(b.docs)
		}
		s.details = s.details[:len(s.details)-1]
	}
}

func (s *twinSort) add(docs []*twinDoc) {
	if s.w.o.distinct != "" {
		kept := s.w.greedy(docs)
		for _, k := range kept {
			for _, d := range s.w.docs {
				if s.w.share(k, d) {
					for _, l := range s.levels {
						l.left = minus(l.left, []*twinDoc{d})
					}
					s.w.found[d.ord] = false
				}
			}
		}
		docs = kept
	}
	for _, d := range docs {
		s.w.found[d.ord] = true
		if len(s.out) < s.w.o.limit {
			s.out = append(s.out, driver.Hit{Ordinal: d.ord, Details: slices.Clone(s.details)})
		}
	}
}

func (s *twinSort) inOrder(universe []*twinDoc) {
	var kept []*twinDoc
	for _, d := range universe {
		if len(s.out) >= s.w.o.limit {
			break
		}
		if s.w.o.distinct != "" && slices.ContainsFunc(kept, func(k *twinDoc) bool { return s.w.share(k, d) }) {
			continue
		}
		kept = append(kept, d)
		s.out = append(s.out, driver.Hit{Ordinal: d.ord})
	}
	if s.w.o.distinct == "" {
		return
	}
	for _, d := range universe {
		s.w.found[d.ord] = slices.Contains(kept, d) || !slices.ContainsFunc(kept, func(k *twinDoc) bool { return s.w.share(k, d) })
	}
}
