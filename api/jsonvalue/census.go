package jsonvalue

import "errors"

// ErrTreeTooLarge: a JSON text has more values than the caller allows.
var ErrTreeTooLarge = errors.New("the JSON text has too many values")

// The memory of parsed values without their strings, in bytes: a value in an array, and a
// value with its name in an object (including the index of names of a large object).
const (
	elementCost = 72
	memberCost  = 144
)

// smallText is the length up to which a text is parsed without being counted first. Its
// values take at most 36 bytes for each byte of the text.
const smallText = 32 << 10

// ParseWithin is Parse for texts of strangers. The parsed values may take at most room
// bytes, not counting strings, which are no longer than the text. Otherwise the error is
// ErrTreeTooLarge, which precedes errors of syntax.
//
// A long text is read twice. The first pass only counts. It is cheap, refuses too large
// texts before anything is kept, and lets each array be allocated in its final size.
func ParseWithin(data []byte, room int64) (Value, error) {
	p := jsonParser{data: data}
	if len(data) > smallText {
		c := census{data: data, room: room}
		if !c.take() {
			return Value{}, ErrTreeTooLarge
		}
		p.sizes = c.sizes
	}
	return p.whole()
}

// census counts the members of the arrays and objects of a text without checking its
// syntax.
type census struct {
	data []byte
	room int64
	// sizes has the number of members of each container, in the order of opening.
	sizes []uint32
	// open are the containers around the current position.
	open []container
}

type container struct {
	size int // its place in sizes
	cost int64
}

// take reads the text. It returns false once the room is used up.
func (c *census) take() bool {
	for i := 0; i < len(c.data); i++ {
		switch b := c.data[i]; b {
		case '"':
			i = c.skipString(i)
		case '[', '{':
			if len(c.open) >= maxDepth { // the parser goes no deeper
				return true
			}
			cost := int64(elementCost)
			if b == '{' {
				cost = memberCost
			}
			c.open = append(c.open, container{len(c.sizes), cost})
			c.sizes = append(c.sizes, 0)
			if !c.empty(i+1) && !c.add() {
				return false
			}
		case ']', '}':
			if len(c.open) > 0 {
				c.open = c.open[:len(c.open)-1]
			}
		case ',':
			if len(c.open) > 0 && !c.add() {
				return false
			}
		}
	}
	return true
}

// add counts one member of the innermost container.
func (c *census) add() bool {
	at := c.open[len(c.open)-1]
	c.sizes[at.size]++
	c.room -= at.cost
	return c.room >= 0
}

// empty tells whether the container that opens just before i has no members.
func (c *census) empty(i int) bool {
	for ; i < len(c.data); i++ {
		switch c.data[i] {
		case ' ', '\n', '\t', '\r':
		case ']', '}':
			return true
		default:
			return false
		}
	}
	return true
}

// skipString returns the position of the quote that ends the string begun at i.
func (c *census) skipString(i int) int {
	for i++; i < len(c.data); i++ {
		switch c.data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return i
}
