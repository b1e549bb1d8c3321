package vector

// dotCodes fills products with those of a query and consecutive codes, each as long as
// the query.
func dotCodes(query []int16, codes []byte, products []int32) {
	if len(products) == 0 {
		return
	}
	_ = codes[len(query)*len(products)-1]
	if hasVectorUnit {
		dotCodesVector(&query[0], &codes[0], len(query), len(products), &products[0])
		return
	}
	dotCodesPlain(query, codes, products)
}

// dotCodesPlain is dotCodes without vector instructions.
func dotCodesPlain(query []int16, codes []byte, products []int32) {
	for i := range products {
		code := codes[:len(query)]
		codes = codes[len(query):]
		var a, b, c, d int32
		for k := 0; k+codeStep <= len(query); k += codeStep {
			x, y := (*[codeStep]int16)(query[k:]), (*[codeStep]byte)(code[k:])
			a += int32(x[0])*int32(int8(y[0])) + int32(x[4])*int32(int8(y[4])) + int32(x[8])*int32(int8(y[8])) + int32(x[12])*int32(int8(y[12]))
			b += int32(x[1])*int32(int8(y[1])) + int32(x[5])*int32(int8(y[5])) + int32(x[9])*int32(int8(y[9])) + int32(x[13])*int32(int8(y[13]))
			c += int32(x[2])*int32(int8(y[2])) + int32(x[6])*int32(int8(y[6])) + int32(x[10])*int32(int8(y[10])) + int32(x[14])*int32(int8(y[14]))
			d += int32(x[3])*int32(int8(y[3])) + int32(x[7])*int32(int8(y[7])) + int32(x[11])*int32(int8(y[11])) + int32(x[15])*int32(int8(y[15]))
		}
		products[i] = a + b + c + d
	}
}
