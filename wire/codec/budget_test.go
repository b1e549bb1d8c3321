package codec

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// broad takes one byte in a message and half a KiB in memory.
type broad struct {
	Room [64]int64 `msgpack:"r"`
}

// claims are messages of 1.5 MiB that would need much more memory when decoded.
func claims() map[string][]byte {
	const n = 3 << 19
	list := append(appendArraySize(nil, n), make([]byte, n)...)
	fill := func(code byte) []byte {
		b := slices.Clone(list)
		for i := len(b) - n; i < len(b); i++ {
			b[i] = code
		}
		return b
	}
	names := appendMapSize(nil, n/3)
	for i := range n / 3 {
		names = append(names, fixStr|2, byte(i>>8), byte(i), fixMap)
	}
	return map[string][]byte{"values": fill(fixMap), "none": fill(codeNil), "names": names}
}

func TestADamagedMessageTakesBoundedMemory(t *testing.T) {
	claims := claims()
	for _, c := range []struct {
		name string
		data []byte
		into any
	}{
		{"a list of empty values", claims["values"], new([]broad)},
		{"a list of nothing", claims["none"], new([]broad)},
		{"a list of pointers", claims["values"], new([]*broad)},
		{"a map whose keys repeat", claims["names"], new(map[string]broad)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Decode(c.data, c.into)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", c.name, err)
		}
		most := uint64(leastBudget + budgetPerByte*len(c.data))
		// A growing list exists twice while it is copied, and a map has tables besides its
		// entries.
		if took := after.TotalAlloc - before.TotalAlloc; took > 4*most {
			t.Errorf("%s of %d KiB took %d MiB to refuse", c.name, len(c.data)>>10, took>>20)
		}
	}
}

func TestLongListsOfEmptyListsAndTextsAreRead(t *testing.T) {
	const n = 3 << 20
	for _, v := range []any{make([][]uint32, n), make([]string, n)} {
		data := encoded(t, v)
		texts, lists := []string{}, [][]uint32{}
		var err error
		if _, ok := v.([]string); ok {
			err = Decode(data, &texts)
		} else {
			err = Decode(data, &lists)
		}
		if err != nil || len(texts)+len(lists) != n {
			t.Errorf("%T: %d, %d, %v", v, len(texts), len(lists), err)
		}
	}
}

// Decoding into an existing slice overwrites its old elements.
func TestALongerListReplacesAShorterOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		into := []wide{{A: 1}, {B: 2}}[:random.IntN(3)]
		want := make([]wide, 3+random.IntN(3000))
		if err := Decode(encoded(t, want), &into); err != nil || !slices.Equal(into, want) {
			t.Fatalf("%d values came out as %d: %v", len(want), len(into), err)
		}
	}
}
