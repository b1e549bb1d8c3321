package render

import "shoal/query/filter"

// changes are the fields whose texts may change, indexed so that looking up a leaf
// costs the same for any number of fields.
type changes struct {
	named map[string]options // by name
	above map[string]options // of all fields below a name, by that name
}

// newChanges selects the formatted fields whose texts may change. ids are the fields'
// numbers.
func newChanges(formatted map[string]options, ids map[string]int) changes {
	c := changes{named: make(map[string]options, len(formatted)), above: map[string]options{}}
	for name, o := range formatted {
		if !o.formats() {
			continue
		}
		o.field = ids[name]
		c.named[name] = o
		for parent := range filter.Parents(name) {
			c.above[parent] = c.above[parent].merge(o)
		}
	}
	return c
}

// of merges the options of all fields that are a leaf, above it or below it.
func (c *changes) of(path string) options {
	o := c.named[path].merge(c.above[path])
	for parent := range filter.Parents(path) {
		o = o.merge(c.named[parent])
	}
	return o
}

// merge adds the options of another field. Of several crops, that of the field with the
// lowest id counts.
func (o options) merge(p options) options {
	o.highlight = o.highlight || p.highlight
	if p.hasCrop && (!o.hasCrop || p.field < o.field) {
		o.crop, o.hasCrop, o.field = p.crop, true, p.field
	}
	return o
}
