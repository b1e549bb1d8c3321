package codec

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

type tree struct {
	Name     string           `msgpack:"n"`
	Children []*tree          `msgpack:"c"`
	Left     *tree            `msgpack:"l"`
	Names    map[string]int64 `msgpack:"m"`
	skipped  int
	Away     func() `msgpack:"-"`
}

type wide struct {
	A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q int
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestValuesComeBack(t *testing.T) {
	for _, v := range []any{
		&tree{}, &tree{Name: "a", Children: []*tree{{Name: "b"}, nil, {Left: &tree{Name: "c"}}}, Names: map[string]int64{"y": -1, "x": 1 << 40}},
		&wide{}, &wide{A: 1, Q: -5}, &wide{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
	} {
		back := reflect.New(reflect.TypeOf(v).Elem()).Interface()
		if err := Decode(encoded(t, v), back); err != nil || !reflect.DeepEqual(v, back) {
			t.Errorf("%+v came back as %+v: %v", v, back, err)
		}
	}
}

func TestMapsAreSortedByKey(t *testing.T) {
	first := encoded(t, &tree{Names: map[string]int64{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}})
	for range 50 {
		if again := encoded(t, &tree{Names: map[string]int64{"e": 5, "d": 4, "c": 3, "b": 2, "a": 1}, skipped: 1}); !bytes.Equal(first, again) {
			t.Fatalf("%x and %x", first, again)
		}
	}
}

func TestDecodedValuesDoNotAliasTheMessage(t *testing.T) {
	type held struct {
		Bytes []byte
		Text  string
	}
	data := encoded(t, &held{[]byte("bytes"), "text"})
	var h held
	if err := Decode(data, &h); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if string(h.Bytes) != "bytes" || h.Text != "text" {
		t.Errorf("%q %q", h.Bytes, h.Text)
	}
}

func TestUnknownMembersAreSkippedOrRefused(t *testing.T) {
	type newer struct {
		Tree  tree           `msgpack:"t"`
		Bytes []byte         `msgpack:"b"`
		Float float64        `msgpack:"f"`
		Map   map[string]int `msgpack:"m"`
		Name  string         `msgpack:"n"`
	}
	data := encoded(t, &newer{tree{Name: "x", Children: []*tree{{Name: "y"}}}, make([]byte, 70000), 1.5, map[string]int{"a": 1 << 40}, "kept"})
	var old struct {
		Name string `msgpack:"n"`
	}
	if err := Decode(data, &old); err != nil || old.Name != "kept" {
		t.Errorf("%q, %v", old.Name, err)
	}
	if err := DecodeKnown(data, &old); !errors.Is(err, ErrUnknownMember) {
		t.Errorf("strictly: %v", err)
	}
}

// TestATruncatedMessageIsAnError cuts a message at every place, and claims sizes larger than the
// message.
func TestATruncatedMessageIsAnError(t *testing.T) {
	data := encoded(t, &tree{Name: "name", Children: []*tree{{Name: strings.Repeat("long", 20)}}, Names: map[string]int64{"k": -70000}})
	for n := range data {
		if err := Decode(data[:n], new(tree)); !errors.Is(err, ErrMalformed) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	for _, claim := range []string{"\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff", "\xc6\xff\xff\xff\xff", "\xdb\xff\xff\xff\xff", "\xc9\xff\xff\xff\xff"} {
		for _, member := range []string{"n", "c", "m", "x"} {
			if err := Decode([]byte("\x81\xa1"+member+claim), new(tree)); !errors.Is(err, ErrMalformed) {
				t.Errorf("%s of %x: %v", member, claim, err)
			}
		}
	}
}

func TestDeepNestingIsAnError(t *testing.T) {
	known := append(bytes.Repeat([]byte("\x81\xa1l"), 1<<20), codeNil)
	if err := Decode(known, new(tree)); !errors.Is(err, ErrMalformed) {
		t.Errorf("members of a type inside itself: %v", err)
	}
	unknown := append([]byte("\x81\xa1x"), append(bytes.Repeat([]byte{fixArray | 1}, 1<<20), codeNil)...)
	if err := Decode(unknown, new(tree)); !errors.Is(err, ErrMalformed) {
		t.Errorf("an unknown member: %v", err)
	}
}

func TestUnsupportedTypesAreErrors(t *testing.T) {
	for want, v := range map[string]any{
		"MarshalBinary, and only plain": &struct{ At time.Time }{},
		"kind chan":                     &struct{ C chan int }{},
		"kind interface":                &struct{ A any }{},
		"map keys must be strings":      map[int]int{},
		"the same name \"n\"": &struct {
			A, B int `msgpack:"n"`
		}{},
		"it is embedded": &struct{ tree }{},
		"has the option \"inline\"": &struct {
			T tree `msgpack:",inline"`
		}{},
	} {
		for range 2 { // a failed plan is not kept
			if _, err := Encode(v); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%T: %v, want %s", v, err, want)
			}
		}
	}
	if err := Decode([]byte{codeNil}, tree{}); err == nil {
		t.Error("Decode accepted a value that is not a pointer")
	}
}

// TestPlansMayBeMadeConcurrently uses new types from many goroutines at once.
func TestPlansMayBeMadeConcurrently(t *testing.T) {
	type leaf struct{ X []tree }
	type branch struct{ L []*leaf }
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if b, err := Encode(&branch{L: []*leaf{{X: []tree{{Name: "x"}}}}}); err != nil || len(b) < 5 {
				t.Errorf("%x, %v", b, err)
			}
			if _, err := Encode(&leaf{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
