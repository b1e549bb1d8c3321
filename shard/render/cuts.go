package render

import "shoal/text"

// cuts are the lengths and kinds of the tokens of a text, two bytes each. A token
// extends to the start of the next one.
type cuts struct {
	pieces []uint16
	// long are the lengths of the few tokens that do not fit, by number.
	long map[int]int
}

// A piece is a length, or longPiece, in the lower bits and a kind above them.
const (
	pieceBits = 14
	longPiece = 1<<pieceBits - 1
)

func (c *cuts) add(length int, kind text.Kind) {
	if length >= longPiece {
		if c.long == nil {
			c.long = map[int]int{}
		}
		c.long[len(c.pieces)] = length
		length = longPiece
	}
	c.pieces = append(c.pieces, uint16(kind)<<pieceBits|uint16(length))
}

func (c *cuts) len() int { return len(c.pieces) }

func (c *cuts) kind(token int) text.Kind { return text.Kind(c.pieces[token] >> pieceBits) }

// start returns where a token begins, in bytes. For the number after the last token it
// is the end of the text.
func (c *cuts) start(token int) (at int) {
	for i, p := range c.pieces[:token] {
		n := int(p & longPiece)
		if n == longPiece {
			n = c.long[i]
		}
		at += n
	}
	return at
}

// end returns where a token ends.
func (c *cuts) end(token int) int { return c.start(token + 1) }
