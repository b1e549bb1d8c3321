package filter

import "shoal/api/apierr"

// geo parses a geo condition; start is its word. No blank may follow the word.
func (p *filterParser) geo(start int, word string) (*Node, int, *filterFault) {
	at := start + len(word)
	switch word {
	case "_geoRadius":
		return p.geoRadius(at)
	case "_geoBoundingBox":
		return p.geoBox(at)
	}
	return p.geoPolygon(at)
}

func (p *filterParser) geoRadius(at int) (*Node, int, *filterFault) {
	form := says(apierr.FilterTextGeoRadius)
	if !p.has(at, "(") {
		return nil, at, p.faultAt(at, form)
	}
	numbers, end, bad := p.numbers(at + 1)
	if bad < 0 && !p.has(end, ")") {
		bad = end
	}
	if bad >= 0 {
		return nil, at, p.faultAt(bad, form)
	}
	end++
	if n := len(numbers); n < 3 || n > 4 {
		return nil, at, p.faultAt(end, says(apierr.FilterTextGeoRadiusCount(n)))
	}
	return &Node{Op: FilterGeoRadius, Values: numbers}, end, nil
}

func (p *filterParser) geoBox(at int) (*Node, int, *filterFault) {
	form := says(apierr.FilterTextGeoBox)
	pairs, end, bad := p.points(at)
	if bad < 0 && !p.has(end, ")") {
		bad = end
	}
	if bad >= 0 {
		return nil, at, p.faultAt(bad, form)
	}
	end++
	if len(pairs) != 2 {
		return nil, at, p.faultAt(end, form)
	}
	values, fault := p.flattenPairs(pairs)
	if fault != nil {
		return nil, at, fault
	}
	return &Node{Op: FilterGeoBox, Values: values}, end, nil
}

func (p *filterParser) geoPolygon(at int) (*Node, int, *filterFault) {
	form := says(apierr.FilterTextGeoPolygon)
	pairs, end, bad := p.points(at)
	if bad < 0 {
		// One trailing comma is tolerated.
		if comma := p.blanks(end); p.has(comma, ",") {
			end = p.blanks(comma + 1)
		}
		if !p.has(end, ")") {
			bad = end
		}
	}
	if bad >= 0 {
		return nil, at, p.faultAt(bad, form)
	}
	end++
	if n := len(pairs); n < 3 {
		last := pairs[n-1][len(pairs[n-1])-1]
		return nil, at, p.faultIn(last.from, last.to, says(apierr.FilterTextGeoPolygonCount(n)))
	}
	values, fault := p.flattenPairs(pairs)
	if fault != nil {
		return nil, at, fault
	}
	return &Node{Op: FilterGeoPolygon, Values: values}, end, nil
}

// flattenPairs checks that every point has two coordinates.
func (p *filterParser) flattenPairs(pairs [][]FilterToken) ([]FilterToken, *filterFault) {
	values := make([]FilterToken, 0, 2*len(pairs))
	for _, pair := range pairs {
		if len(pair) != 2 {
			return nil, p.faultIn(pair[0].from, pair[0].to, says(apierr.FilterTextGeoPair(len(pair))))
		}
		values = append(values, pair...)
	}
	return values, nil
}

// points parses "(" "[" numbers "]" { "," "[" numbers "]" }. bad is the position
// that does not fit, or -1.
func (p *filterParser) points(at int) (pairs [][]FilterToken, end, bad int) {
	if !p.has(at, "(") {
		return nil, at, at
	}
	at++
	for {
		next := at
		if len(pairs) > 0 {
			if !p.has(at, ",") {
				return pairs, at, -1
			}
			next = at + 1
		}
		pair, end, bad, final := p.point(next)
		if bad >= 0 {
			// A later point that does not start leaves its comma to the caller.
			if len(pairs) > 0 && !final {
				return pairs, at, -1
			}
			return nil, at, bad
		}
		pairs = append(pairs, pair)
		at = end
	}
}

// point parses one "[" numbers "]" with blanks around it. final tells that the
// failure is not a missing point but a broken number.
func (p *filterParser) point(at int) (pair []FilterToken, end, bad int, final bool) {
	at = p.blanks(at)
	if !p.has(at, "[") {
		return nil, at, at, false
	}
	numbers, end, bad := p.numbers(at + 1)
	if bad >= 0 {
		return nil, at, bad, p.brokenExponent(bad)
	}
	if !p.has(end, "]") {
		return nil, at, end, false
	}
	return numbers, p.blanks(end + 1), -1, false
}

// numbers parses one or more numbers separated by commas, with blanks around
// each. bad is the position that does not fit, or -1.
func (p *filterParser) numbers(at int) (list []FilterToken, end, bad int) {
	for {
		next := at
		if len(list) > 0 {
			if !p.has(at, ",") {
				return list, at, -1
			}
			next = at + 1
		}
		next = p.blanks(next)
		end, ok := p.number(next)
		if !ok {
			if len(list) > 0 && !p.brokenExponent(end) {
				return list, at, -1
			}
			return nil, at, end
		}
		list = append(list, p.token(next, end))
		at = p.blanks(end)
		if p.scale.put(coordinateWeight); p.scale.over() {
			return nil, at, at
		}
	}
}

// number recognises a decimal number with optional sign, fraction and exponent.
// Without one, end is the position that does not fit.
func (p *filterParser) number(at int) (end int, ok bool) {
	if p.has(at, "+") || p.has(at, "-") {
		at++
	}
	whole := p.digits(at)
	switch {
	case whole > at:
		if at = whole; p.has(at, ".") {
			at = p.digits(at + 1)
		}
	case p.has(at, "."):
		fraction := p.digits(at + 1)
		if fraction == at+1 {
			return fraction, false
		}
		at = fraction
	default:
		return at, false
	}
	if !p.has(at, "e") && !p.has(at, "E") {
		return at, true
	}
	at++
	if p.has(at, "+") || p.has(at, "-") {
		at++
	}
	exponent := p.digits(at)
	return exponent, exponent > at
}

// brokenExponent tells that the number that failed at a position had an exponent
// without digits: such a number is not taken for the absence of one.
func (p *filterParser) brokenExponent(at int) bool {
	if at > 0 && (p.src[at-1] == '+' || p.src[at-1] == '-') {
		at--
	}
	return at > 1 && (p.src[at-1] == 'e' || p.src[at-1] == 'E') && (p.src[at-2] == '.' || p.src[at-2] >= '0' && p.src[at-2] <= '9')
}

func (p *filterParser) digits(at int) int {
	for at < len(p.src) && p.src[at] >= '0' && p.src[at] <= '9' {
		at++
	}
	return at
}
