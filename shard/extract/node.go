package extract

import (
	"errors"

	"unsafe"

	"shoal/api/jsonvalue"
)

// errJSON reports a document that is not a JSON object.
var errJSON = errors.New("extract: document is not valid JSON")

const (
	// maxDepth bounds the nesting.
	maxDepth = 1000
	// manyMembers is the least size of an object whose names are kept in a map.
	manyMembers = 48
)

type kind uint8

const (
	kindNull kind = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

// node is one value of a parsed document. Nodes are in document order; the children of
// a node follow it up to next.
type node struct {
	kind       kind
	escaped    bool // the string has an escape
	keyEscaped bool
	dropped    bool   // a later duplicate of an earlier key, which has its value
	start, end uint32 // the raw value
	key        uint32 // the raw key without quotes, if the parent is an object
	keyEnd     uint32
	next       uint32 // the node after the subtree
	alias      uint32 // the node with the effective value (duplicate keys)
}

// parser builds the nodes of one document.
type parser struct {
	doc   []byte
	nodes []node
	pos   int
}

// parse reads one JSON object. The result aliases doc.
func (p *parser) parse(doc []byte) error {
	p.doc, p.nodes, p.pos = doc, p.nodes[:0], 0
	p.space()
	if p.pos >= len(doc) || doc[p.pos] != '{' || len(doc) >= 1<<32-1 {
		return errJSON
	}
	if !p.value(0) {
		return errJSON
	}
	p.space()
	if p.pos != len(doc) {
		return errJSON
	}
	return nil
}

func (p *parser) space() {
	for p.pos < len(p.doc) {
		switch p.doc[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) value(depth int) bool {
	if p.pos >= len(p.doc) || depth > maxDepth {
		return false
	}
	at := len(p.nodes)
	p.nodes = append(p.nodes, node{start: uint32(p.pos)})
	ok := false
	switch c := p.doc[p.pos]; c {
	case '{':
		ok = p.object(at, depth)
	case '[':
		ok = p.array(at, depth)
	case '"':
		p.nodes[at].kind = kindString
		p.nodes[at].escaped, ok = p.str()
	case 't':
		p.nodes[at].kind = kindTrue
		ok = p.literal("true")
	case 'f':
		p.nodes[at].kind = kindFalse
		ok = p.literal("false")
	case 'n':
		p.nodes[at].kind = kindNull
		ok = p.literal("null")
	default:
		p.nodes[at].kind = kindNumber
		ok = (c == '-' || c >= '0' && c <= '9') && p.number()
	}
	n := &p.nodes[at]
	n.end, n.next = uint32(p.pos), uint32(len(p.nodes))
	return ok
}

func (p *parser) literal(word string) bool {
	if len(p.doc)-p.pos < len(word) || string(p.doc[p.pos:p.pos+len(word)]) != word {
		return false
	}
	p.pos += len(word)
	return true
}

func (p *parser) number() bool {
	for p.pos < len(p.doc) {
		switch c := p.doc[p.pos]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			p.pos++
		default:
			return true
		}
	}
	return true
}

// str skips a string and reports whether it has an escape.
func (p *parser) str() (escaped, ok bool) {
	for i := p.pos + 1; i < len(p.doc); i++ {
		switch p.doc[i] {
		case '"':
			p.pos = i + 1
			return escaped, true
		case '\\':
			escaped = true
			i++
		}
	}
	return false, false
}

func (p *parser) array(at, depth int) bool {
	p.nodes[at].kind = kindArray
	p.pos++
	p.space()
	if p.pos < len(p.doc) && p.doc[p.pos] == ']' {
		p.pos++
		return true
	}
	for {
		p.space()
		if !p.value(depth + 1) {
			return false
		}
		p.space()
		if p.pos >= len(p.doc) {
			return false
		}
		c := p.doc[p.pos]
		p.pos++
		if c == ']' {
			return true
		}
		if c != ',' {
			return false
		}
	}
}

func (p *parser) object(at, depth int) bool {
	p.nodes[at].kind = kindObject
	p.pos++
	p.space()
	if p.pos < len(p.doc) && p.doc[p.pos] == '}' {
		p.pos++
		return true
	}
	seen := uint64(0) // a bit per key hash: most objects have no duplicate
	var names map[string]uint32
	for count := 0; ; count++ {
		p.space()
		if p.pos >= len(p.doc) || p.doc[p.pos] != '"' {
			return false
		}
		key := p.pos + 1
		escaped, ok := p.str()
		if !ok {
			return false
		}
		keyEnd := p.pos - 1
		p.space()
		if p.pos >= len(p.doc) || p.doc[p.pos] != ':' {
			return false
		}
		p.pos++
		p.space()
		child := len(p.nodes)
		if !p.value(depth + 1) {
			return false
		}
		n := &p.nodes[child]
		n.key, n.keyEnd, n.keyEscaped = uint32(key), uint32(keyEnd), escaped
		bit := uint64(1) << (keyHash(p.doc[key:keyEnd]) & 63)
		switch {
		case count >= manyMembers:
			if names == nil {
				names = p.names(at+1, child)
			}
			p.lookUp(names, child)
		case seen&bit != 0 || escaped:
			p.duplicate(at+1, child)
		}
		if escaped {
			seen = ^uint64(0)
		}
		seen |= bit
		p.space()
		if p.pos >= len(p.doc) {
			return false
		}
		c := p.doc[p.pos]
		p.pos++
		if c == '}' {
			return true
		}
		if c != ',' {
			return false
		}
	}
}

func keyHash(key []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range key {
		h = (h ^ uint32(c)) * 16777619
	}
	return h ^ h>>15
}

// duplicate looks for an earlier sibling with the key of child. The last value wins, at
// the place of the first (spec write-api 7).
func (p *parser) duplicate(first, child int) {
	name := p.key(&p.nodes[child])
	for i := first; i < child; i = int(p.nodes[i].next) {
		if n := &p.nodes[i]; !n.dropped && p.key(n) == name {
			n.alias = uint32(child)
			p.nodes[child].dropped = true
			return
		}
	}
}

// names maps the names of the siblings before child to their nodes.
func (p *parser) names(first, child int) map[string]uint32 {
	names := make(map[string]uint32, 2*manyMembers)
	for i := first; i < child; i = int(p.nodes[i].next) {
		if n := &p.nodes[i]; !n.dropped {
			names[p.key(n)] = uint32(i)
		}
	}
	return names
}

// lookUp is duplicate for objects with many members.
func (p *parser) lookUp(names map[string]uint32, child int) {
	name := p.key(&p.nodes[child])
	if i, found := names[name]; found {
		p.nodes[i].alias = uint32(child)
		p.nodes[child].dropped = true
		return
	}
	names[name] = uint32(child)
}

// key returns a member's name. It aliases the document unless it has escapes.
func (p *parser) key(n *node) string {
	raw := p.doc[n.key:n.keyEnd]
	if n.keyEscaped {
		return unescape(raw)
	}
	return view(raw)
}

// text returns a string value. It aliases the document unless it has escapes.
func (p *parser) text(n *node) string {
	raw := p.doc[n.start+1 : n.end-1]
	if n.escaped {
		return unescape(raw)
	}
	return view(raw)
}

func (p *parser) raw(n *node) []byte { return p.doc[n.start:n.end] }

// effective returns the node with a member's value: its own or that of its last
// duplicate.
func (p *parser) effective(i uint32) uint32 {
	if a := p.nodes[i].alias; a != 0 {
		return a
	}
	return i
}

// view returns a string over bytes that must not change while it is used.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unescape decodes the inside of a JSON string.
func unescape(raw []byte) string {
	return view(jsonvalue.AppendUnescaped(make([]byte, 0, len(raw)), raw))
}
