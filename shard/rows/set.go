package rows

import (
	"math/bits"
	"slices"

	"shoal/shard/docset"
)

// manyOrdinals is the number of ordinals from which on pages are compared with the list,
// instead of each ordinal with the pages. It changes no answer.
const manyOrdinals = 64

// Set returns the documents of the space that have one of some ordinals. It is fastest if
// they ascend.
func (o *Order) Set(ordinals []uint32) docset.Set {
	if len(ordinals) == 0 {
		return docset.Set{}
	}
	var out docset.Builder
	if o == nil || len(ordinals) < manyOrdinals || !slices.IsSorted(ordinals) {
		for _, ordinal := range ordinals {
			if row, ok := o.Row(ordinal); ok {
				out.Add(row)
			}
		}
		return out.Set()
	}
	for i := range o.parts {
		o.parts[i].find(ordinals, &out)
	}
	return out.Set()
}

// find adds the rows that have one of some ordinals, which ascend.
func (p *Part) find(ordinals []uint32, out *docset.Builder) {
	if p.Table == nil {
		p.Live.And(docset.FromSorted(slices.Compact(slices.Clone(ordinals)))).Each(func(row uint32) bool {
			out.Add(p.Base + row)
			return true
		})
		return
	}
	for _, n := range p.Table.used {
		pg := p.Table.pages[n]
		from, _ := slices.BinarySearch(ordinals, pg.least)
		to, last := slices.BinarySearch(ordinals, pg.most)
		if last {
			to++ // of equal ones, one is enough
		}
		if from < to {
			pg.find(ordinals[from:to], p.Base+n<<PageShift, out)
		}
	}
}

// find adds the rows of a page, which begins at base, that have one of some ordinals, which
// ascend.
func (p *page) find(ordinals []uint32, base uint32, out *docset.Builder) {
	var found [PageRows / 64]uint64
	if len(ordinals) < len(p.ordinals)/manyOrdinals {
		for _, ordinal := range ordinals {
			if at, ok := p.from(ordinal); ok {
				found[p.sorted[at]/64] |= 1 << (p.sorted[at] % 64)
			}
		}
	} else {
		p.sort()
		at := 0
		for _, low := range p.sorted {
			own := p.ordinals[low]
			for at < len(ordinals) && ordinals[at] < own {
				at++
			}
			if at == len(ordinals) {
				break
			}
			if ordinals[at] == own {
				found[low/64] |= 1 << (low % 64)
			}
		}
	}
	for i, word := range found {
		for ; word != 0; word &= word - 1 {
			out.Add(base + uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
}
