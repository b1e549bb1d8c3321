package extract

import (
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/query"
	"shoal/shard/record"
	"shoal/shard/symbol"
	"shoal/text"
)

const (
	maxPosition  = 1 << 16 // positions from here on are dropped
	hardDistance = 8       // between two visits, and after a hard separator
	maxWordBytes = 250
)

// Extractor processes documents one after the other. It keeps its buffers; the caller
// owns results that are slices. For one goroutine.
type Extractor struct {
	plan     *Plan
	p        parser
	name     []byte // the path being walked
	words    record.Writer
	form     []byte // of a word, while it is added
	values   record.ValueWriter
	elements elements
	visits   []visit // by field id
	epoch    uint32
	members  []member
	place    []place // by field id
	unknown  []string
	// value is the state of takeToken. token is that method value, created once.
	value valueState
	token func(text.Token) bool
}

// valueState is the progress within the words of one value.
type valueState struct {
	field          *field
	visit          *visit
	position, step int32
	// leading: only separators have come so far.
	leading bool
}

// visit is the state of a field's position counter in the present document.
type visit struct {
	epoch    uint32
	position int32
}

// New returns an extractor for the plan.
func (p *Plan) New() *Extractor {
	x := &Extractor{plan: p, visits: make([]visit, len(p.byID)), place: make([]place, len(p.byID))}
	x.token = x.takeToken
	return x
}

// Load parses a stored document, which must not change until the next Load.
func (x *Extractor) Load(stored []byte) error { return x.p.parse(stored) }

// Unknown returns the names seen since the last call that the field map lacks, in
// first-seen order.
func (x *Extractor) Unknown() []string {
	u := x.unknown
	x.unknown = nil
	return u
}

func (x *Extractor) field(name string) *field {
	f := x.plan.byName[name]
	if f == nil && !slices.Contains(x.unknown, name) {
		x.unknown = append(x.unknown, strings.Clone(name))
	}
	return f
}

// walker is called for every visit of a field at any level. onKey means that the value
// belongs to a key and is not an array item. It returns whether to descend into the
// value.
type walker func(f *field, n *node, onKey bool) (deeper bool)

// walk visits the document's fields, including containers of nested keys (spec ranking
// 1.9). top selects the top-level fields. Containers at the top are visited only
// through their leaves.
func (x *Extractor) walk(top func(*field) bool, visit walker) {
	for i := uint32(1); i < uint32(len(x.p.nodes)); i = x.p.nodes[i].next {
		if x.p.nodes[i].dropped {
			continue
		}
		x.name = append(x.name[:0], x.p.key(&x.p.nodes[i])...)
		f := x.field(view(x.name))
		if view(x.name) == Geo { // has these two, whatever its value is
			x.field(geoLat)
			x.field(geoLng)
		}
		if f == nil || f.reserved || !top(f) {
			continue
		}
		v := x.p.effective(i)
		switch n := &x.p.nodes[v]; n.kind {
		case kindObject:
			x.walkObject(f, v, true, visit)
		case kindArray:
			x.walkArray(f, v, true, visit)
		default:
			visit(f, n, true)
		}
	}
}

// walkObject visits the members of an object at field f (nil if the field map lacks
// it).
func (x *Extractor) walkObject(f *field, at uint32, onKey bool, visit walker) {
	n := &x.p.nodes[at]
	if n.next == at+1 {
		if f != nil {
			visit(f, n, onKey)
		}
		return
	}
	base := len(x.name)
	for i := at + 1; i < n.next; i = x.p.nodes[i].next {
		if x.p.nodes[i].dropped {
			continue
		}
		x.name = append(append(x.name[:base], '.'), x.p.key(&x.p.nodes[i])...)
		child := x.field(view(x.name))
		v := x.p.effective(i)
		c := &x.p.nodes[v]
		if child != nil && !visit(child, c, true) {
			continue
		}
		switch c.kind {
		case kindObject:
			x.walkObject(child, v, true, visit)
		case kindArray:
			x.walkArray(child, v, true, visit)
		}
	}
	x.name = x.name[:base]
}

func (x *Extractor) walkArray(f *field, at uint32, onKey bool, visit walker) {
	n := &x.p.nodes[at]
	if n.next == at+1 {
		if f != nil {
			visit(f, n, onKey)
		}
		return
	}
	for i := at + 1; i < n.next; i = x.p.nodes[i].next {
		switch c := &x.p.nodes[i]; c.kind {
		case kindObject:
			x.walkObject(f, i, false, visit)
		case kindArray:
			x.walkArray(f, i, false, visit)
		default:
			if f != nil {
				visit(f, c, false)
			}
		}
	}
}

// Tokens appends the document's token record to dst.
func (x *Extractor) Tokens(dst []byte) ([]byte, error) {
	x.epoch++
	var failed error
	x.walk(func(*field) bool { return true }, func(f *field, n *node, _ bool) bool {
		if f.searchable {
			if err := x.tokenize(f, n); err != nil && failed == nil {
				failed = err
			}
		}
		return true
	})
	if failed != nil {
		x.words.Finish(nil)
		return dst, failed
	}
	return x.words.Finish(dst), nil
}

// Words numbers the words of all documents so far. The caller may add words, and may
// reset it between documents.
func (x *Extractor) Words() *symbol.Table { return x.words.Words() }

// Written calls f for every word of the last token record, in no particular order, with
// its number among Words and its flags.
func (x *Extractor) Written(f func(word uint32, flags uint8)) { x.words.Written(f) }

// tokenize is one visit: it advances the field's position and adds the words of a leaf.
func (x *Extractor) tokenize(f *field, n *node) error {
	v := &x.visits[f.id]
	if v.epoch != x.epoch {
		*v = visit{epoch: x.epoch}
	} else {
		v.position += hardDistance
	}
	if v.position >= maxPosition {
		v.position = maxPosition
		return nil
	}
	switch n.kind {
	case kindString:
		x.addWords(f, v, f.tokenizer, x.p.text(n))
	case kindTrue:
		x.addWords(f, v, x.plan.plain, "true")
	case kindFalse:
		x.addWords(f, v, x.plan.plain, "false")
	case kindNumber:
		text, err := x.numberText(n)
		if err != nil {
			return err
		}
		x.addWords(f, v, x.plan.plain, text)
	}
	return nil
}

// addWords adds the words of one value, starting at the field's position.
func (x *Extractor) addWords(f *field, v *visit, tokenizer *text.Tokenizer, value string) {
	x.value = valueState{field: f, visit: v, position: v.position, leading: true}
	tokenizer.Tokenize(value)(x.token)
}

// takeToken adds a token of a value. It returns false when there is no room for more.
// Separators before the first other token do not count, even if that token is empty: in
// a value of a control character, a full stop and a word, the word is at 8.
func (x *Extractor) takeToken(token text.Token) bool {
	v := &x.value
	switch {
	case token.Kind == text.SeparatorHard && !v.leading:
		v.step = hardDistance
	case token.Kind == text.SeparatorSoft && !v.leading:
		v.step = max(v.step, 1)
	}
	if token.Kind.IsSeparator() {
		return true
	}
	v.leading = false
	if token.Lemma == "" {
		return true
	}
	v.position += v.step
	v.step = 1
	if token.Kind != text.Word {
		return true
	}
	if v.position >= maxPosition {
		return false
	}
	word := strings.TrimSpace(token.Lemma)
	if word == "" || len(word) > maxWordBytes {
		return true
	}
	v.visit.position = v.position
	x.words.Add(word, v.field.id, uint16(v.position), x.plan.isExact(v.field, word))
	if v.field.infix {
		if form, ok := query.AppendInfixForm(x.form[:0], word); ok {
			x.form = form
			x.words.AddForm(view(form))
		}
	}
	return true
}

// numberText returns a number as clients see it.
func (x *Extractor) numberText(n *node) (string, error) {
	raw := x.p.raw(n)
	if plainInteger(raw) {
		return view(raw), nil
	}
	out, ok := jsonvalue.AppendNumber(nil, raw)
	if !ok {
		return "", x.outOfRange(n)
	}
	return view(out), nil
}

// plainInteger recognises numbers that need no rewriting.
func plainInteger(raw []byte) bool {
	if len(raw) == 0 || len(raw) > 18 {
		return false
	}
	for i, c := range raw {
		if (c < '0' || c > '9') && (c != '-' || i > 0 || len(raw) == 1 || raw[1] == '0') {
			return false
		}
	}
	return true
}

// outOfRange is the error of a number. Its position is relative to its top-level
// member's value, because the reference parses these one by one.
func (x *Extractor) outOfRange(n *node) error {
	from := uint32(0)
	for i := uint32(1); i < uint32(len(x.p.nodes)); i = x.p.nodes[i].next {
		if top := &x.p.nodes[i]; top.start <= n.start && n.end <= top.end {
			from = top.start
		}
	}
	line, column := jsonvalue.Position(x.p.doc[from:n.end])
	return &jsonvalue.SyntaxError{Reason: jsonvalue.ReasonNumberRange, Line: line, Column: column}
}

// Present calls f for every top-level field of the document, for the field
// distribution, except _vectors (spec write-api 5.9).
func (x *Extractor) Present(f func(fid uint16)) {
	for i := uint32(1); i < uint32(len(x.p.nodes)); i = x.p.nodes[i].next {
		n := &x.p.nodes[i]
		if n.dropped {
			continue
		}
		name := x.p.key(n)
		if name == Vectors {
			continue
		}
		if field := x.field(name); field != nil {
			f(field.id)
		}
	}
}

// member returns the effective node of a top-level member, or nil.
func (x *Extractor) member(name string) *node {
	for i := uint32(1); i < uint32(len(x.p.nodes)); i = x.p.nodes[i].next {
		if n := &x.p.nodes[i]; !n.dropped && x.p.key(n) == name {
			return &x.p.nodes[x.p.effective(i)]
		}
	}
	return nil
}
