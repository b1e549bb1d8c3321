package vector

// dotNibbles fills products with those of a query and consecutive halves of codes: one
// nibble, from 0 to 15, for each number of the query (code.go has their order).
func dotNibbles(query []int8, halves []byte, products []int32) {
	if len(products) == 0 {
		return
	}
	_ = halves[len(query)/2*len(products)-1]
	if hasVectorUnit {
		dotNibblesVector(&query[0], &halves[0], len(query), len(products), &products[0])
		return
	}
	dotNibblesPlain(query, halves, products)
}

// dotNibblesPlain is dotNibbles without vector instructions.
func dotNibblesPlain(query []int8, halves []byte, products []int32) {
	for i := range products {
		var a, b int32
		for k := 0; k < len(query); k += codeStep {
			x, y, nibbles := (*[codeStep / 2]int8)(query[k:]), (*[codeStep / 2]int8)(query[k+codeStep/2:]), (*[codeStep / 2]byte)(halves[k/2:])
			for j, n := range nibbles {
				a += int32(x[j]) * int32(n&15)
				b += int32(y[j]) * int32(n>>4)
			}
		}
		products[i] = a + b
		halves = halves[len(query)/2:]
	}
}
