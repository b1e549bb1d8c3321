package filter

import (
	"strings"

	"shoal/api/apierr"
)

// object = value ".{" or "}", without blanks before the brace: what stands inside must
// hold for one object at the path. Attributes inside are named from the path on.

// MaxObjectNames is how many names the path of an object condition may have. Objects that
// stand deeper are not told apart (package shard/element).
const MaxObjectNames = 16

// opens tells whether the word or quoted value that was read last is the path of an
// object condition. It returns the path and the place of its brace.
func (p *filterParser) opens(field FilterToken) (path FilterToken, open int, ok bool) {
	last := len(field.Value) - 1
	switch {
	case p.has(field.to, "{") && last > 0 && field.Value[last] == '.':
		open = field.to
		field.Value, field.to = field.Value[:last], field.to-1
		return field, open, true
	case field.from > 0 && last >= 0 && p.has(field.to, p.src[field.from-1:field.from]+".{"):
		return field, field.to + len(`".`), true
	}
	return field, 0, false
}

// object parses the braces of a path.
func (p *filterParser) object(path FilterToken, open, depth int) (*Node, int, *filterFault) {
	outer := p.within
	if outer == "" && isReservedObject(path.Value) {
		return nil, open, p.faultIn(path.from, path.to, apierr.FilterTextReservedObject)
	}
	path.Value = p.named(path.Value)
	if strings.Count(path.Value, ".") >= MaxObjectNames {
		return nil, open, p.faultIn(path.from, path.to, says(apierr.FilterTextObjectNames(MaxObjectNames)))
	}
	begin := p.blanks(open + 1)
	if p.has(begin, "}") {
		return nil, open, p.faultIn(path.from, begin+1, says(apierr.FilterTextEmptyObject))
	}
	p.within = path.Value
	inner, end, fault := p.or(begin, depth+1)
	p.within = outer
	if fault != nil {
		return nil, end, fault
	}
	if end = p.blanks(end); !p.has(end, "}") {
		fault = p.faultAt(path.from, func(x string) string { return apierr.FilterTextDelimiter(x, "}") })
		return nil, end, fault
	}
	return &Node{Op: FilterObject, Field: path, Kids: []*Node{inner}}, p.blanks(end + 1), nil
}

// isReservedObject tells the attributes whose parts are not indexed as others are.
func isReservedObject(path string) bool {
	return Below(path, "_geo") || Below(path, "_geojson") || Below(path, "_vectors")
}

// outside refuses conditions that concern whole documents inside braces.
func (p *filterParser) outside(start int, word string) *filterFault {
	if p.within == "" {
		return nil
	}
	switch name, _, _ := strings.Cut(word, "."); name {
	case "_geoRadius", "_geoBoundingBox", "_geoPolygon", "_vectors":
		return p.faultIn(start, start+len(name), apierr.FilterTextInObject)
	}
	return nil
}

// named is the whole name of an attribute as it is written.
func (p *filterParser) named(name string) string {
	if p.within == "" {
		return name
	}
	return p.within + "." + name
}

// written is the name of an attribute as it is written in the braces of a path.
func written(name, within string) string {
	if within == "" {
		return name
	}
	return name[len(within)+1:]
}
