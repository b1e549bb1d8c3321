package filter

import (
	"unicode/utf8"

	"shoal/api/apierr"
)

var vectorSuffixes = []string{"fragments", "userProvided", "documentTemplate", "regenerate"}

// vectors parses `_vectors[.embedder[.part]] [NOT] EXISTS`; start is the word.
// Without a match node and fault are nil.
func (p *filterParser) vectors(start int) (*Node, int, *filterFault) {
	at := start + len("_vectors")
	node := &Node{Op: FilterVectors, Field: p.token(start, at)}
	if next := p.blanks(at); next > at {
		at = next
	} else {
		if !p.has(at, ".") {
			return nil, at, nil
		}
		end, fault := p.vectorParts(&node.Vector, at+1)
		if fault != nil {
			return nil, at, fault
		}
		if at = p.blanks(end); at == end {
			return nil, at, p.faultAt(end, says(apierr.FilterTextVectorLeftover))
		}
	}
	if end, ok := p.phrase(at, "EXISTS"); ok {
		return node, end, nil
	}
	if end, ok := p.phrase(at, "NOT", "EXISTS"); ok {
		return negate(node), end, nil
	}
	return nil, at, p.faultAt(at, says(apierr.FilterTextVectorOperation))
}

// vectorParts parses what follows `_vectors.`.
func (p *filterParser) vectorParts(v *FilterVector, at int) (int, *filterFault) {
	if p.has(at, " ") {
		return at, p.faultIn(at, at+1, says(apierr.FilterTextVectorNoName))
	}
	name, at, fault := p.dottedPart(at)
	if fault != nil {
		return at, p.dottedFault(fault, at, apierr.FilterTextVectorBadName)
	}
	v.Named, v.Embedder = true, name
	kind := ""
	switch {
	case p.has(at, ".fragments"):
		at += len(".fragments")
		if !p.has(at, ".") {
			return at, p.faultAt(at, says(apierr.FilterTextVectorNoPart))
		}
		if v.Fragment, at, fault = p.dottedPart(at + 1); fault != nil {
			return at, p.dottedFault(fault, at, apierr.FilterTextVectorBadPart)
		}
		kind, v.Kind = "fragments", VectorFragment
	case p.has(at, ".userProvided"):
		kind, v.Kind = "userProvided", VectorUserProvided
	case p.has(at, ".documentTemplate"):
		kind, v.Kind = "documentTemplate", VectorDocumentTemplate
	case p.has(at, ".regenerate"):
		kind, v.Kind = "regenerate", VectorRegenerate
	}
	if v.Kind > VectorFragment {
		at += 1 + len(kind)
	}
	if p.has(at, ".") {
		return at, p.vectorSuffix(at, kind)
	}
	return at, nil
}

// dottedPart parses one quoted or unquoted name between points. at is returned
// unchanged with a fault.
func (p *filterParser) dottedPart(at int) (FilterToken, int, *filterFault) {
	var token FilterToken
	end := at
	if p.has(at, "'") || p.has(at, `"`) {
		var fault *filterFault
		if token, end, fault = p.quoted(at); fault != nil {
			return FilterToken{}, at, fault
		}
	} else {
		for end < len(p.src) && p.src[end] != '.' {
			size := wordRune(p.src[end:])
			if size == 0 {
				break
			}
			end += size
		}
		if end == at {
			return FilterToken{}, at, &filterFault{soft: true}
		}
		token = p.token(at, end)
	}
	if fault := p.decode(&token); fault != nil {
		return FilterToken{}, at, fault
	}
	return token, end, nil
}

// dottedFault words the fault of a name: unbalanced quotes have their own text.
func (p *filterParser) dottedFault(fault *filterFault, at int, text string) *filterFault {
	// A value that ends in a lone backslash is malformed, not unbalanced: its
	// fault starts after the quote.
	if !fault.soft && !fault.incomplete && fault.from == at {
		text = apierr.FilterTextVectorQuotes
	}
	return p.faultAt(at, says(text))
}

// vectorSuffix words the fault of a further part; at is its point.
func (p *filterParser) vectorSuffix(at int, kind string) *filterFault {
	part, _, fault := p.dottedPart(at + 1)
	if fault != nil {
		return p.faultIn(at, at+1, says(apierr.FilterTextVectorPoint))
	}
	value := part.Value
	text := ""
	switch {
	case value == ".":
		text = apierr.FilterTextVectorPoint
	case kind != "":
		text = apierr.FilterTextVectorTwoKinds(kind, value)
	default:
		text = unknownSuffix(value)
	}
	return p.faultIn(part.from, part.to, says(text))
}

func unknownSuffix(value string) string {
	for _, known := range vectorSuffixes {
		if value == known {
			return apierr.FilterTextVectorUnquoted
		}
	}
	return apierr.FilterTextVectorSuffix(value, nearest(value, vectorSuffixes))
}

// nearest returns the first candidate within two edits of a word, a
// transposition counting one; "" without one.
func nearest(word string, candidates []string) string {
	for _, c := range candidates {
		if editsWithin(word, c, 2) {
			return c
		}
	}
	return ""
}

// editsWithin tells whether the distance of two words (insertions, deletions,
// substitutions, transpositions of neighbours) is at most limit.
func editsWithin(a, b string, limit int) bool {
	if d := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); d > limit || -d > limit {
		return false
	}
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			d := min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return last[len(y)] <= limit
}
