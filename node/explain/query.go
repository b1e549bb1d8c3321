package explain

import (
	"fmt"
	"strconv"
	"strings"

	"shoal/coordinator/score"

	"shoal/coordinator/search"
	"shoal/query"
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/wire"
)

// Bounds of the lists in an explanation.
const (
	explainedWords   = 5
	explainedPaths   = 12
	explainedBuckets = 200
)

// explainQuery prints the terms with their words in the index, and the ways to combine
// them.
func explainQuery(b *strings.Builder, e *search.Explanation) {
	if e.Graph == nil {
		fmt.Fprintf(b, "\nquery: no terms, %s\n", counted(int(e.Documents), "document"))
		return
	}
	b.WriteString("\nterms\n")
	for i := range e.Terms {
		t := &e.Terms[i]
		fmt.Fprintf(b, "   %-16s %s\n", termName(t), strings.Join(derivations(t), "; "))
	}
	fmt.Fprintf(b, "\nways to read it, %s\n", counted(int(e.Documents), "document"))
	paths, more := readings(e.Graph, e.Terms)
	for _, p := range paths {
		b.WriteString("   " + p + "\n")
	}
	if more {
		b.WriteString("   ...\n")
	}
}

// termName is a term as written in the query.
func termName(t *query.Term) string {
	switch {
	case t.IsPhrase():
		return strconv.Quote(strings.Join(t.Phrase, " "))
	case t.Prefix:
		return t.Text + "*"
	}
	return t.Text
}

// derivations lists the words that a term stands for.
func derivations(t *query.Term) []string {
	var out []string
	list := func(what string, words []string) {
		if len(words) == 0 {
			return
		}
		shown := words[:min(explainedWords, len(words))]
		text := fmt.Sprintf("%s (%d): %s", what, len(words), strings.Join(shown, ", "))
		if len(shown) < len(words) {
			text += " ..."
		}
		out = append(out, text)
	}
	switch {
	case t.IsPhrase():
		out = append(out, "phrase")
	case t.IsNgram():
		out = append(out, "joined from "+strings.Join(t.Ngram, " + "))
	case t.Known:
		out = append(out, "in the index")
	default:
		out = append(out, "not in the index")
	}
	if t.Cached {
		out = append(out, "prefix of many words")
	}
	list("longer words", t.Extensions)
	synonyms := make([]string, len(t.Synonyms))
	for i, s := range t.Synonyms {
		synonyms[i] = strings.Join(s, " ")
	}
	list("synonyms", synonyms)
	list("one typo", t.One)
	if t.ByInfix() {
		words := make([]string, len(t.Two))
		for i, form := range t.Two {
			words[i] = query.OfInfixForm(form)
		}
		list("words with it inside", words)
	} else {
		list("two typos", t.Two)
	}
	if len(t.Split) > 0 {
		out = append(out, "split: "+strings.Join(t.Split, " "))
	}
	return out
}

// readings lists the paths of a graph in exploration order. more tells that there are
// others.
func readings(g *query.Graph, terms []query.Term) (paths []string, more bool) {
	var trail []string
	var walk func(n uint16)
	walk = func(n uint16) {
		if len(paths) == explainedPaths {
			more = true
			return
		}
		if n == query.End {
			paths = append(paths, strings.Join(trail, " + "))
			return
		}
		if n != query.Start {
			trail = append(trail, nodeName(&g.Nodes[n], terms))
			defer func() { trail = trail[:len(trail)-1] }()
		}
		for _, next := range g.Nodes[n].Succ {
			walk(next)
		}
	}
	walk(query.Start)
	return paths, more
}

// nodeName is a term with the derivations that a node is restricted to.
func nodeName(n *query.Node, terms []query.Term) string {
	name := termName(&terms[n.Term])
	switch n.Sub &^ query.Mandatory {
	case query.Full:
	case query.ExactForm:
		name += " (exact)"
	case query.Zero:
		name += " (no typo)"
	case query.One:
		name += " (one typo)"
	case query.Two:
		name += " (two typos)"
	}
	return name
}

// explainBuckets prints the buckets of each rule, with those of later rules indented.
func explainBuckets(b *strings.Builder, e *search.Explanation) {
	b.WriteString("\nbuckets\n")
	for i := range e.Buckets {
		if i == explainedBuckets {
			fmt.Fprintf(b, "   ... %d more\n", len(e.Buckets)-i)
			return
		}
		x := &e.Buckets[i]
		fmt.Fprintf(b, "   %s%s: %s", strings.Repeat("  ", x.Level), said(&x.Detail), counted(int(x.Documents), "document"))
		if x.Graph != nil && x.Detail.Rule.Kind.OnGraph() {
			paths, more := readings(x.Graph, e.Terms)
			shown := paths[:min(3, len(paths))]
			b.WriteString(" by " + strings.Join(shown, " | "))
			if more || len(shown) < len(paths) {
				b.WriteString(" | ...")
			}
		}
		b.WriteByte('\n')
	}
}

// said is the verdict of a rule on a bucket.
func said(d *score.Detail) string {
	r := &d.Rule
	switch {
	case d.Pinned:
		return fmt.Sprintf("pinned at %d", d.Position)
	case d.Skipped:
		return "not ranked, the time was up"
	case r.Kind.Ranked():
		return fmt.Sprintf("%s %d/%d", r.Kind.Label(), d.Rank.Rank, d.Rank.Max)
	case r.Kind == rule.Sort || r.Kind == rule.Random:
		return r.Field + " = " + sortText(d.Value)
	case r.Kind == rule.Geo && d.HasPoint:
		return fmt.Sprintf("%.0f m away", d.Distance)
	case r.Kind == rule.Geo:
		return "without a place"
	case d.HasVector:
		return fmt.Sprintf("similarity %.4f", d.Similarity)
	}
	return "without a vector"
}

func sortText(v wire.SortValue) string {
	switch v.Kind {
	case wire.SortNumber:
		return strconv.FormatFloat(filter.ShownNumber(v.Number), 'g', -1, 64)
	case wire.SortString:
		return strconv.Quote(v.Text)
	}
	return "nothing"
}
