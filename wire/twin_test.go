package wire

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// twin encodes with the library that wrote our first messages. It is the slow reference of our
// codec.
func twin(t *testing.T, v any) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := msgpack.NewEncoder(&buf)
	enc.UseCompactInts(true)
	enc.SetOmitEmpty(true)
	enc.SetSortMapKeys(true)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// sameBytes encodes a value with both codecs and decodes the bytes with both.
func sameBytes(t *testing.T, v reflect.Value) {
	t.Helper()
	ours, err := Marshal(v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	theirs := twin(t, v.Interface())
	if !bytes.Equal(ours, theirs) {
		t.Fatalf("%s\n ours   %x\n theirs %x", v.Type(), ours, theirs)
	}
	sameValue(t, v.Type().Elem(), ours, true)
}

// sameValue decodes bytes with both codecs. What ours accepts, the library must decode to the
// same value.
func sameValue(t *testing.T, typ reflect.Type, data []byte, mustDecode bool) {
	t.Helper()
	ours, theirs := reflect.New(typ), reflect.New(typ)
	if err := Unmarshal(data, ours.Interface()); err != nil {
		if mustDecode {
			t.Fatalf("%s: %v", typ, err)
		}
		return
	}
	if err := msgpack.Unmarshal(data, theirs.Interface()); err != nil {
		t.Fatalf("%s: we take %x, the library says %v", typ, data, err)
	}
	a, b := twin(t, ours.Interface()), twin(t, theirs.Interface())
	if !bytes.Equal(a, b) {
		t.Fatalf("%s from %x\n ours   %x\n theirs %x", typ, data, a, b)
	}
}

// scatter gives every exported member a random value. It includes empty values, the ends of
// ranges and nil list elements.
func scatter(v reflect.Value, r *rand.Rand, depth int) {
	if r.IntN(3) == 0 || depth > 6 {
		return
	}
	edge := []uint64{0, 1, 31, 32, 127, 128, 255, 256, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	number := func() uint64 { return edge[r.IntN(len(edge))] - uint64(r.IntN(2)) }
	sizes := []int{0, 1, 2, 3, 15, 16, 31, 32, 33, 255, 256}
	if r.IntN(500) == 0 {
		sizes = []int{1<<16 - 1, 1 << 16}
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.String:
		v.SetString(string(bytes.Repeat([]byte{'x'}, sizes[r.IntN(len(sizes))])))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := int64(number())
		v.SetInt(n * int64(1-2*r.IntN(2)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(number())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		scatter(v.Elem(), r, depth+1)
	case reflect.Array:
		for i := range v.Len() {
			scatter(v.Index(i), r, depth+1)
		}
	case reflect.Slice:
		n := r.IntN(4)
		switch {
		case v.Type().Elem().Kind() == reflect.Uint8:
			n = sizes[r.IntN(len(sizes))]
		case v.Type().Elem().Kind() != reflect.Struct && r.IntN(4) == 0:
			n = 15 + r.IntN(3)
		case v.Type().Elem().Kind() == reflect.Uint32 && r.IntN(50) == 0:
			n = 1<<16 - 1 + r.IntN(3)
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range min(n, 100) {
			scatter(v.Index(i), r, depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("msgpack") != "-" {
				scatter(v.Field(i), r, depth+1)
			}
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

func TestTheCodecAgreesWithTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(messages)) {
		sameBytes(t, reflect.New(messages[name]))
		for range 20 {
			v := reflect.New(messages[name])
			scatter(v.Elem(), r, 0)
			sameBytes(t, v)
		}
	}
	for _, v := range []any{[]string{"a", "", "b"}, []string{}, []string(nil), []byte{1}, "text", 7, -1, true, 1.5, float32(2), []uint32{}, []*Node{nil, {ID: "n"}}, [][]byte{nil, {}, {1}}, [3]byte{1}, &[3]byte{1}} {
		ours, err := Marshal(v)
		if err != nil || !bytes.Equal(ours, twin(t, v)) {
			t.Errorf("%T %v: %x, %v", v, v, ours, err)
		}
	}
}

// FuzzCodec decodes its input as a message of some type. It also uses the input to fill a
// message and encodes that.
func FuzzCodec(f *testing.F) {
	names := slices.Sorted(maps.Keys(messages))
	for i, name := range names {
		v := reflect.New(messages[name])
		fill(v.Elem(), "", nil)
		f.Add(uint8(i), twinSeed(v.Interface()))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		typ := messages[names[int(which)%len(names)]]
		sameValue(t, typ, data, false)
		var seed [32]byte
		copy(seed[:], data)
		v := reflect.New(typ)
		scatter(v.Elem(), rand.New(rand.NewChaCha8(seed)), 0)
		sameBytes(t, v)
	})
}

func twinSeed(v any) []byte {
	b, err := msgpack.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
