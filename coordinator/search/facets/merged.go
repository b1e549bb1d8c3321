package facets

// merged returns the elements of ascending lists, each without equal ones, in ascending order.
// add adds an element to an equal one of an earlier list. The result may be a list itself.
func merged[T any](lists [][]T, compare func(a, b *T) int, add func(to, from *T)) []T {
	if len(lists) == 1 {
		return lists[0]
	}
	size := 0
	for _, list := range lists {
		size += len(list)
	}
	out := make([]T, 0, size)
	at := make([]int, len(lists))
	for {
		least := -1
		for i, list := range lists {
			if at[i] < len(list) && (least < 0 || compare(&list[at[i]], &lists[least][at[least]]) < 0) {
				least = i
			}
		}
		if least < 0 {
			return out
		}
		next := &lists[least][at[least]]
		at[least]++
		if last := len(out) - 1; last >= 0 && compare(&out[last], next) == 0 {
			add(&out[last], next)
		} else {
			out = append(out, *next)
		}
	}
}
