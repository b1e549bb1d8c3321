package build

// rowLists are many lists of rows that grow side by side, most of them short. A
// list is a chain of pieces in shared memory: a piece of 4 places, then 8 and so on.
// The last place of each piece locates the next one. So growing a list copies nothing
// and touches only its end.
type rowLists struct {
	lists []rowList // by number
	// Place p is blocks[p>>blockShift][p&(blockSize-1)].
	blocks [][]uint32
	bytes  int
}

// rowList is one list. The zero value is empty.
type rowList struct {
	first, at, n uint32 // its first and next place, and its length
	left, size   uint16 // of the last piece
}

const (
	blockShift = 14
	blockSize  = 1 << blockShift
	leastPiece = 4
	mostPiece  = 128
)

// of returns the list of a number.
func (o *rowLists) of(number uint32) *rowList {
	if n := int(number) + 1 - len(o.lists); n > 0 {
		o.lists = append(o.lists, make([]rowList, n)...)
		o.bytes += n * 20
	}
	return &o.lists[number]
}

// len returns the length of the list of a number.
func (o *rowLists) len(number uint32) int {
	if int(number) >= len(o.lists) {
		return 0
	}
	return int(o.lists[number].n)
}

func (o *rowLists) place(p uint32) *uint32 { return &o.blocks[p>>blockShift][p&(blockSize-1)] }

// add appends a row to the list of a number.
func (o *rowLists) add(number, ord uint32) {
	l := o.of(number)
	if l.left == 0 {
		o.grow(l)
	}
	*o.place(l.at) = ord
	l.at++
	l.n++
	l.left--
}

// grow gives a list its next piece.
func (o *rowLists) grow(l *rowList) {
	size := min(max(2*l.size, leastPiece), mostPiece)
	last := len(o.blocks) - 1
	if last < 0 || len(o.blocks[last])+int(size) > blockSize {
		block := make([]uint32, 0, leastPiece) // most builds are small
		if last >= 0 {
			block = make([]uint32, 0, blockSize)
		}
		o.blocks = append(o.blocks, block)
		last++
	}
	at := uint32(last<<blockShift + len(o.blocks[last]))
	o.blocks[last] = append(o.blocks[last], make([]uint32, size)...)
	o.bytes += 4 * int(size)
	if l.size == 0 {
		l.first = at
	} else {
		*o.place(l.at) = at
	}
	l.at, l.left, l.size = at, size-1, size
}

// drop removes the last row of a list if it is ord, and reports whether it did.
func (o *rowLists) drop(number, ord uint32) bool {
	if o.len(number) == 0 {
		return false
	}
	l := &o.lists[number]
	if l.left == l.size-1 { // the last one is at the end of the previous piece
		all := o.appendTo(nil, number)
		if all[len(all)-1] != ord {
			return false
		}
		*l = rowList{}
		for _, ord := range all[:len(all)-1] {
			o.add(number, ord)
		}
		return true
	}
	if *o.place(l.at - 1) != ord {
		return false
	}
	l.at--
	l.n--
	l.left++
	return true
}

// appendTo appends the rows of a number to buf and returns it.
func (o *rowLists) appendTo(buf []uint32, number uint32) []uint32 {
	if o.len(number) == 0 {
		return buf
	}
	l := o.lists[number]
	at, size := l.first, uint32(leastPiece)
	for left := l.n; left > 0; {
		n := min(left, size-1)
		piece := o.blocks[at>>blockShift][at&(blockSize-1):]
		buf = append(buf, piece[:n]...)
		if left -= n; left > 0 {
			at = piece[size-1]
		}
		size = min(2*size, mostPiece)
	}
	return buf
}
