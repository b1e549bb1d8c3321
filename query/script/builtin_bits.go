package script

import (
	"math"

	"shoal/query/script/value"
)

// bitMethods are the methods of integers as rows of bits.
func bitMethods() map[string]method {
	return map[string]method{
		"get_bit":  reader(1, 1, bitGet),
		"set_bit":  mutator(2, 2, bitSet),
		"get_bits": reader(1, 2, bitsGet),
		"set_bits": mutator(2, 3, bitsSet),
		"bits":     {most: 2, property: true, run: bitsEach},
	}
}

func bitGet(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok || c.recv.Kind != value.KindInt {
		return value.Value{}, errNoMatch
	}
	set, err := value.Bit(c.recv.Int(), i)
	return value.Bool(set), err
}

func bitSet(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok || c.recv.Kind != value.KindInt || c.args[1].Kind != value.KindBool {
		return value.Value{}, errNoMatch
	}
	bits, err := value.WithBit(c.recv.Int(), i, c.args[1].Bool())
	*c.recv = value.Int(bits)
	return value.Value{}, err
}

// bits reads a range of bits, or a start and a length, from the first of n arguments.
func (c *invocation) bits(n int) (value.Bits, error) {
	if c.recv.Kind == value.KindInt && n == 1 && c.args[0].Kind == value.KindRange {
		return value.BitsIn(c.args[0].Range())
	}
	from, ok := c.int(0)
	count, ok2 := c.int(1)
	if c.recv.Kind != value.KindInt || n != 2 || !ok || !ok2 {
		return value.Bits{}, errNoMatch
	}
	return value.BitsFrom(from, count)
}

func bitsGet(c *invocation) (value.Value, error) {
	bits, err := c.bits(len(c.args))
	if err != nil {
		return value.Value{}, err
	}
	return value.Int(bits.Of(c.recv.Int())), nil
}

func bitsSet(c *invocation) (value.Value, error) {
	last := len(c.args) - 1
	with, ok := c.int(last)
	if !ok {
		return value.Value{}, errNoMatch
	}
	bits, err := c.bits(last)
	if err != nil {
		return value.Value{}, err
	}
	*c.recv = value.Int(bits.Set(c.recv.Int(), with))
	return value.Value{}, nil
}

// bitsEach yields the bits of an integer or of a part of it.
func bitsEach(c *invocation) (value.Value, error) {
	if c.recv.Kind != value.KindInt {
		return value.Value{}, errNoMatch
	}
	from, count := int64(0), int64(math.MaxInt64)
	switch {
	case len(c.args) == 1 && c.args[0].Kind == value.KindRange:
		from, count = span(c.args[0].Range())
	case len(c.args) > 0:
		var ok bool
		if from, ok = c.int(0); !ok {
			return value.Value{}, errNoMatch
		}
		if len(c.args) == 2 {
			if count, ok = c.int(1); !ok {
				return value.Value{}, errNoMatch
			}
		}
	}
	if _, err := value.Bit(0, from); err != nil {
		return value.Value{}, err
	}
	bits, err := value.BitsFrom(from, count)
	return value.Sequence(iteratorSource+"BitRange", bits.Each(c.recv.Int())), err
}
