package vector

import "shoal/shard/record"

// sift appends to near the vectors of a chunk that far might keep, numbered from the first of
// the chunk. products are those of the chunk for far. It is a quick form of far in
// single precision. It is never stricter: each term has a margin of 16 times its rounding.
func (c *Column) sift(q *Query, first uint32, products []int32, limit float32, near []int32) []int32 {
	s := q.code.sieve(q.norm, limit)
	scales, norms, coarse := c.scales[first:][:len(products)], c.norms[first:][:len(products)], c.coarse[first:][:len(products)]
	for k, p := range products {
		norm := norms[k]
		if norm > s.floor && scales[k]*(s.step*float32(p)+s.base)+s.missing*coarse[k] < s.least*norm {
			continue
		}
		near = append(near, int32(k))
	}
	return near
}

// sieve is the condition of far for one query and limit: a vector is far if its norm is above
// floor and scale*(step*product + base) + missing*coarse < least*norm.
type sieve struct {
	step, base, missing, least float32
	floor                      float32
}

// margin is the share by which a sieve enlarges each term. Float32 rounds by 2^-24.
const margin = 0x1p-20

func (q *queryCode) sieve(norm, limit float32) sieve {
	step := trailingRange * q.scale * 16
	base := trailingRange * q.scale * upperMiddle * float64(q.leadingSum)
	length := 1 + 2*q.slack
	least := (1-2*float64(limit)-0x1p-21)*float64(norm) - (q.coarse+q.slack*q.norm)*length
	if least > 0 {
		least *= 1 - margin
	} else {
		least *= 1 + margin
	}
	return sieve{
		step:    float32(step),
		base:    float32(base + margin*(step*15*float64(q.leadingMost)+max(base, -base))),
		missing: float32((q.coarse + q.norm) * (1 + margin)),
		least:   float32(least),
		floor:   float32(record.NoDirection / float64(norm) * (1 + margin)),
	}
}
