package topk

import "shoal/wire"

// layout assigns each rule its bits of the key.
func (t *top) layout() bool {
	n := len(t.rules)
	t.shift, t.width = make([]uint, n), make([]uint, n)
	sum := uint(0)
	for i := n - 1; i >= 0; i-- {
		width, ok := t.s.Costs.KeyBits(t.rules[i].Kind, t.g)
		if !ok {
			return false
		}
		t.shift[i], t.width[i] = sum, uint(width)
		sum += t.width[i]
	}
	return sum <= 64
}

// noLimit is no less than any key.
const noLimit = ^uint64(0)

// bound sets the limit of keys to that of a step, none if it is empty.
func (t *top) bound(costs []uint32) bool {
	if t.limit = noLimit; len(costs) == 0 {
		return true
	}
	t.limit = 0
	for i, cost := range costs[:min(len(costs), len(t.rules))] {
		t.limit |= min(uint64(cost), 1<<t.width[i]-1) << t.shift[i]
	}
	return len(costs) == len(t.rules)
}

// keyOfLeast returns the key of a document with the least cost by every rule.
func (t *top) keyOfLeast() (key uint64) {
	for i, k := range t.kinds {
		key += uint64(k.leastCost(t)) << t.shift[i]
	}
	return key
}

// reply extracts the costs from the keys.
func (t *top) reply(best []ranked) (*wire.TopReply, error) {
	r := &wire.TopReply{Ordinals: make([]uint32, 0, len(best)), Costs: make([]uint32, 0, len(best)*len(t.rules)), Limited: t.limit != noLimit}
	for _, b := range best {
		ord := b.row
		r.Ordinals = append(r.Ordinals, ord)
		for i, k := range t.kinds {
			if k.value == nil {
				r.Costs = append(r.Costs, uint32(b.key>>t.shift[i]&(1<<t.width[i]-1)))
				continue
			}
			v, err := k.value(t, ord, t.rules[i])
			if err != nil {
				return nil, err
			}
			r.Costs, r.Values = append(r.Costs, 0), append(r.Values, v)
		}
	}
	return r, nil
}
