package extract

import (
	"bytes"
	"slices"

	"shoal/query/filter"
	"shoal/shard/element"
	"shoal/shard/record"
)

// elements collects the names of the posting lists of elements of one document.
type elements struct {
	x     *Extractor
	place []byte // of the object around
	buf   []byte
	ends  []int // of the names in buf
	order []int
	// exists is the last name of its kind.
	exists []byte
}

// HasElements tells whether the plan has objects of arrays indexed.
func (p *Plan) HasElements() bool { return p.objects }

// Elements calls f for the name of each posting list of elements (package element) in
// which the document stands, once each, in order. A name is valid during the call. Errors
// are those of Values.
func (x *Extractor) Elements(f func(name []byte)) error {
	if !x.plan.objects {
		return nil
	}
	e := &x.elements
	e.x, e.buf, e.ends, e.order, e.exists = x, e.buf[:0], e.ends[:0], e.order[:0], e.exists[:0]
	for i := uint32(1); i < uint32(len(x.p.nodes)); i = x.p.nodes[i].next {
		if x.p.nodes[i].dropped {
			continue
		}
		x.name = append(x.name[:0], x.p.key(&x.p.nodes[i])...)
		field := x.field(view(x.name))
		if field == nil || field.reserved || field.facet == filter.PatternNone {
			continue
		}
		number := uint32(0)
		if err := e.value(field, x.p.effective(i), true, depthOf(x.name), &number); err != nil {
			return err
		}
	}
	for i := range e.ends {
		e.order = append(e.order, i)
	}
	slices.SortFunc(e.order, func(a, b int) int { return bytes.Compare(e.name(a), e.name(b)) })
	for i, at := range e.order {
		if i == 0 || !bytes.Equal(e.name(at), e.name(e.order[i-1])) {
			f(e.name(at))
		}
	}
	return nil
}

func depthOf(name []byte) uint32 { return uint32(bytes.Count(name, []byte{'.'})) }

func (e *elements) name(i int) []byte {
	from := 0
	if i > 0 {
		from = e.ends[i-1]
	}
	return e.buf[from:e.ends[i]]
}

// value goes through what stands at a field (nil when the field map lacks it) whose name
// has a depth. number counts the objects that stand there.
func (e *elements) value(f *field, at uint32, onKey bool, depth uint32, number *uint32) error {
	p := &e.x.p
	n := &p.nodes[at]
	if f != nil && f.sameObject && len(e.place) > 0 {
		if err := e.x.facet(e, f, n, onKey); err != nil {
			return err
		}
	}
	switch n.kind {
	case kindArray:
		for i := at + 1; i < n.next; i = p.nodes[i].next {
			if err := e.value(f, i, false, depth, number); err != nil {
				return err
			}
		}
	case kindObject:
		if depth >= filter.MaxObjectNames { // no filter tells such objects apart
			return e.members(at)
		}
		base := len(e.place)
		e.place = element.AppendStep(e.place, depth, *number)
		*number++
		if f != nil && f.sameObject {
			e.post(element.Head(e.buf, f.id, element.Object))
		}
		err := e.members(at)
		e.place = e.place[:base]
		return err
	}
	return nil
}

// members goes through an object that stands at the name of the extractor.
func (e *elements) members(at uint32) error {
	x := e.x
	n, base := &x.p.nodes[at], len(x.name)
	for i := at + 1; i < n.next; i = x.p.nodes[i].next {
		if x.p.nodes[i].dropped {
			continue
		}
		key := x.p.key(&x.p.nodes[i])
		x.name = append(append(x.name[:base], '.'), key...)
		number := uint32(0)
		if err := e.value(x.field(view(x.name)), x.p.effective(i), true, depthOf(x.name), &number); err != nil {
			return err
		}
	}
	x.name = x.name[:base]
	return nil
}

// post completes the name that is being appended to buf.
func (e *elements) post(buf []byte) {
	e.buf = element.AppendPlace(buf, e.place)
	e.ends = append(e.ends, len(e.buf))
}

// Mark see facts.
func (e *elements) Mark(fid uint16, flags uint8) {
	was := len(e.buf)
	e.post(element.Head(e.buf, fid, element.Exists))
	if exists := e.buf[was:]; bytes.Equal(exists, e.exists) { // of the items of a list
		e.buf, e.ends = e.buf[:was], e.ends[:len(e.ends)-1]
	} else {
		e.exists = append(e.exists[:0], exists...)
	}
	if flags&record.Null != 0 {
		e.post(element.Head(e.buf, fid, element.Null))
	}
	if flags&record.Empty != 0 {
		e.post(element.Head(e.buf, fid, element.Empty))
	}
}

// Number see facts.
func (e *elements) Number(fid uint16, v float64) {
	e.post(element.AppendNumber(e.buf, fid, record.OrderedFloat(filter.FacetNumber(v))))
}

// String see facts.
func (e *elements) String(fid uint16, form, _ string) {
	e.post(element.AppendString(e.buf, fid, form))
}
