package element

// AppendStep appends a step to a place: what stands at a name of a depth, and how many
// objects stand there before it.
func AppendStep(place []byte, depth, number uint32) []byte {
	return appendOrdered(appendOrdered(place, depth), number)
}

// end is the last byte of a name. No step begins with it, so that no name is the beginning
// of another one: keys, which add to names, are in the order of names.
const end = 0xf0

// AppendPlace completes a name with its place.
func AppendPlace(name, place []byte) []byte { return append(append(name, place...), end) }

// Numbers below 1<<7 take one byte, those below 1<<14 two, others four; documents cannot
// have 1<<28 objects.
func appendOrdered(dst []byte, n uint32) []byte {
	switch {
	case n < 1<<7:
		return append(dst, byte(n))
	case n < 1<<14:
		return append(dst, 0x80|byte(n>>8), byte(n))
	}
	return append(dst, 0xc0|byte(n>>24)&0x0f, byte(n>>16), byte(n>>8), byte(n))
}

// cutOrdered reads a number; size is 0 when there is none.
func cutOrdered(b []byte) (n uint32, size int) {
	switch {
	case len(b) >= 1 && b[0] < 0x80:
		return uint32(b[0]), 1
	case len(b) >= 2 && b[0] < 0xc0:
		return uint32(b[0]&0x3f)<<8 | uint32(b[1]), 2
	case len(b) >= 4 && b[0] < 0xd0:
		return uint32(b[0]&0x0f)<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]), 4
	}
	return 0, 0
}

// Level returns the place of the object around a place, or at it, that stands at a name of
// a depth; ok is false when there is none.
func Level(place []byte, depth uint32) (at []byte, ok bool) {
	for i := 0; i < len(place); {
		d, size := cutOrdered(place[i:])
		if size == 0 || d > depth {
			return nil, false
		}
		i += size
		_, size = cutOrdered(place[i:])
		if size == 0 {
			return nil, false
		}
		if i += size; d == depth {
			return place[:i], true
		}
	}
	return nil, false
}
