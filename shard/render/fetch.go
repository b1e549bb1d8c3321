package render

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/query/filter"
	"shoal/query/projection"
	"shoal/wire"
)

// errFull ends the visits of documents when the room of a step is used up.
var errFull = errors.New("the room of the answer is used up")

// Fetch renders the documents of a page. Documents that the shard does not hold, and
// those beyond the room of the step, are left empty.
func (p *Plan) Fetch(src Source, step *wire.FetchStep) (*wire.FetchReply, error) {
	v := p.view(step)
	reply := &wire.FetchReply{Documents: make([]wire.Rendered, len(step.Ordinals))}
	room := step.Room
	w := newWriter(src, v.retrieve, v.vectors, v.vectors == AllVectors)
	extra := newWriter(src, v.extra, UnknownVectors, false)
	err := src.Documents(step.Ordinals, func(i int, stored []byte) error {
		if step.Room > 0 && room <= 0 {
			reply.Full = true
			return errFull
		}
		r := &reply.Documents[i]
		if err := v.render(r, w, step.Ordinals[i], stored); err != nil {
			return err
		}
		if step.Options.HasExtra {
			var err error
			if r.Extra, err = extra.document(step.Ordinals[i], stored); err != nil {
				return err
			}
		}
		room -= r.Size()
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return reply, err
}

// render fills in one document.
func (v *view) render(r *wire.Rendered, w *writer, ord uint32, stored []byte) (err error) {
	if !v.decorates() {
		r.Document, err = w.document(ord, stored)
		return err
	}
	doc, err := jsonvalue.Parse(stored)
	if err != nil {
		return err
	}
	if r.Document, err = w.parsed(ord, &doc); err != nil {
		return err
	}
	v.decorate(r, &doc)
	return nil
}

// decorates reports whether documents get members that depend on the request.
func (v *view) decorates() bool {
	return v.options.MatchesPosition || !v.formatted.Empty() || v.options.HasFrom
}

// decorate adds the members that depend on the request.
func (v *view) decorate(r *wire.Rendered, doc *jsonvalue.Value) {
	f := formatter{view: v}
	if v.options.MatchesPosition {
		f.analysed = map[*jsonvalue.Value]*analysis{}
		r.MatchesPosition = f.positions(doc)
	}
	if !v.formatted.Empty() {
		if r.Formatted = f.appendObject(nil, doc, "", v.formatted, false); len(r.Formatted) == len("{}") {
			r.Formatted = nil // an empty copy is not shown
		}
	}
	if v.options.HasFrom {
		r.Distance, r.HasDistance = v.distance(doc)
	}
}

// distance returns the distance from the request's point to the document's `_geo`, if
// the hit shows both coordinates.
func (v *view) distance(doc *jsonvalue.Value) (metres uint64, ok bool) {
	if !v.retrieve.Reaches("_geo") {
		return 0, false
	}
	shown := doc
	if v.retrieve != nil {
		body := v.retrieve.Append(nil, doc)
		parsed, err := jsonvalue.Parse(body)
		if err != nil {
			return 0, false
		}
		shown = &parsed
	}
	point := shown.Get("_geo")
	if point == nil || point.Kind() != jsonvalue.KindObject {
		return 0, false
	}
	lat, ok1 := coordinate(point.Get("lat"))
	lng, ok2 := coordinate(point.Get("lng"))
	if !ok1 || !ok2 {
		return 0, false
	}
	d := filter.GeoDistance(v.options.From, filter.GeoPoint{Lat: lat, Lng: lng})
	if math.IsNaN(d) {
		return 0, true
	}
	return uint64(filter.GeoMetres(d)), true
}

// coordinate reads a number or a numeric string.
func coordinate(v *jsonvalue.Value) (float64, bool) {
	switch {
	case v == nil:
		return 0, false
	case v.Kind() == jsonvalue.KindString:
		return filter.ParseFinite(v.String())
	case v.IsNumber():
		return v.Float(), true
	}
	return 0, false
}

// formatter renders the formatted copy and the match positions of one document.
type formatter struct {
	view     *view
	analysed map[*jsonvalue.Value]*analysis // leaves analysed before, if they are visited twice
}

// leafText returns the text of a string or number; other values have none.
func leafText(v *jsonvalue.Value) (string, bool) {
	switch v.Kind() {
	case jsonvalue.KindString:
		return v.String(), true
	case jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat:
		return v.JSON(), true
	}
	return "", false
}

func (f *formatter) analyse(v *jsonvalue.Value, path, raw string) *analysis {
	if a := f.analysed[v]; a != nil {
		return a
	}
	a := analyse(raw, f.view.tokenizer(path), f.view.matcher, f.view.changing.of(path).crop > 0)
	if f.analysed != nil {
		f.analysed[v] = a
	}
	return a
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// appendObject renders the selected members of an object. Selectors are relative to it;
// whole selects everything. A member whose own name has dots is reduced to the selected
// fields below it, if there are any, even if it is selected itself.
func (f *formatter) appendObject(dst []byte, object *jsonvalue.Value, path string, selectors projection.Selectors, whole bool) []byte {
	dst = append(dst, '{')
	first := true
	for i := range object.Members() {
		m := &object.Members()[i]
		all := whole || selectors.Has(m.Name)
		var below projection.Selectors
		if !whole && (!all || strings.Contains(m.Name, ".")) {
			below = selectors.Under(m.Name)
			all = all && below.Empty()
		}
		if !all && (below.Empty() || m.Value.Kind() != jsonvalue.KindObject && m.Value.Kind() != jsonvalue.KindArray) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsonvalue.AppendString(dst, m.Name), ':')
		dst = f.appendValue(dst, &m.Value, join(path, m.Name), below, all)
	}
	return append(dst, '}')
}

func (f *formatter) appendValue(dst []byte, v *jsonvalue.Value, path string, selectors projection.Selectors, whole bool) []byte {
	switch v.Kind() {
	case jsonvalue.KindObject:
		return f.appendObject(dst, v, path, selectors, whole)
	case jsonvalue.KindArray:
		return f.appendArray(dst, v, path, selectors, whole)
	}
	raw, ok := leafText(v)
	if !ok {
		return v.AppendJSON(dst)
	}
	o := f.view.changing.of(path)
	if !o.formats() {
		return jsonvalue.AppendString(dst, raw)
	}
	return jsonvalue.AppendString(dst, f.analyse(v, path, raw).format(o, &f.view.style))
}

// appendArray filters elements if only parts are selected. Then it drops objects
// without selected members, and values that are neither objects nor arrays.
func (f *formatter) appendArray(dst []byte, array *jsonvalue.Value, path string, selectors projection.Selectors, whole bool) []byte {
	dst = append(dst, '[')
	first := true
	for i := range array.Members() {
		e := &array.Members()[i].Value
		if !whole && e.Kind() != jsonvalue.KindObject && e.Kind() != jsonvalue.KindArray {
			continue
		}
		start := len(dst)
		if !first {
			dst = append(dst, ',')
		}
		at := len(dst)
		dst = f.appendValue(dst, e, path, selectors, whole)
		if !whole && e.Kind() == jsonvalue.KindObject && len(dst) == at+2 {
			dst = dst[:start]
			continue
		}
		first = false
	}
	return append(dst, ']')
}

// positions renders the matches of all displayed leaves, by path. Of several leaves
// with one path, the last one with a match counts.
func (f *formatter) positions(doc *jsonvalue.Value) []byte {
	found := map[string][]byte{}
	for i := range doc.Members() {
		if m := &doc.Members()[i]; f.view.plan.displays(m.Name) {
			f.collect(found, &m.Value, m.Name, nil)
		}
	}
	dst := []byte{'{'}
	for i, path := range slices.Sorted(maps.Keys(found)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonvalue.AppendString(dst, path), ':')
		dst = append(dst, found[path]...)
	}
	return append(dst, '}')
}

func (f *formatter) collect(found map[string][]byte, v *jsonvalue.Value, path string, indices []int) {
	for i := range v.Members() {
		m := &v.Members()[i]
		if v.Kind() == jsonvalue.KindObject {
			f.collect(found, &m.Value, join(path, m.Name), indices)
		} else {
			f.collect(found, &m.Value, path, append(indices[:len(indices):len(indices)], i))
		}
	}
	raw, ok := leafText(v)
	if !ok || !f.displayed(path) {
		return
	}
	if a := f.analyse(v, path, raw); len(a.matches) > 0 {
		found[path] = a.appendPositions(nil, indices)
	}
}

// displays reports whether a member of a document, or a part of it, is displayed.
func (p *Plan) displays(member string) bool {
	return p.around == nil || p.members.Has(member) || !p.members.Under(member).Empty()
}

// displayed reports whether a leaf is shown: if it is displayed, is below a displayed
// field, or has a displayed field below it in other documents.
func (f *formatter) displayed(path string) bool {
	p := f.view.plan
	return p.around == nil || p.around.Match(path) != filter.PatternNone
}

// appendPositions renders the positions of the matches, in bytes of the text.
func (a *analysis) appendPositions(dst []byte, indices []int) []byte {
	dst = append(dst, '[')
	for i := range a.matches {
		m := &a.matches[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, `{"start":`...), int64(m.start), 10)
		dst = strconv.AppendInt(append(dst, `,"length":`...), int64(a.bytes(m)), 10)
		if len(indices) > 0 {
			dst = append(dst, `,"indices":[`...)
			for j, n := range indices {
				if j > 0 {
					dst = append(dst, ',')
				}
				dst = strconv.AppendInt(dst, int64(n), 10)
			}
			dst = append(dst, ']')
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
