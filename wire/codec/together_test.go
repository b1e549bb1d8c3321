package codec

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type held struct {
	Bytes [][]byte
	Texts []string
	Last  []byte
}

// many returns texts and bytes of all lengths around the limits.
func many() *held {
	h := new(held)
	for n := range 3 * shortText {
		h.Texts = append(h.Texts, strings.Repeat(string(rune('a'+n%26)), n))
		h.Bytes = append(h.Bytes, bytes.Repeat([]byte{byte(n)}, n))
	}
	h.Last = bytes.Repeat([]byte("last"), 5000)
	return h
}

func TestValuesDecodedTogetherDoNotAlias(t *testing.T) {
	want := many()
	data := encoded(t, want)
	var got held
	if err := DecodeTogether(data, &got); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if !reflect.DeepEqual(want, &got) {
		t.Error("something changed with the message")
	}
	for i := range got.Bytes {
		got.Bytes[i] = append(got.Bytes[i], "and more"...)
		clear(got.Bytes[i])
	}
	if !reflect.DeepEqual(want.Texts, got.Texts) || !bytes.Equal(want.Last, got.Last) {
		t.Error("something changed with bytes that were appended to")
	}
}

func TestEmptyBytesDifferFromNil(t *testing.T) {
	for _, want := range []held{{Last: []byte{}}, {}, {Bytes: [][]byte{nil, {}, {1}}}} {
		// Empty members are not encoded, but empty elements are.
		want.Last = nil
		var got held
		if err := DecodeTogether(encoded(t, &want), &got); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("%#v came back as %#v: %v", want, got, err)
		}
	}
}

// TestNamesOfAllLengths decodes members with short and long names, at the end of a message and
// before it.
func TestNamesOfAllLengths(t *testing.T) {
	var fields []reflect.StructField
	for n := range 40 {
		name := strings.Repeat("n", n+1)
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", n), Type: reflect.TypeFor[uint8](), Tag: reflect.StructTag(`msgpack:"` + name + `"`)})
	}
	typ := reflect.StructOf(fields)
	for some := range 41 {
		want, got := reflect.New(typ), reflect.New(typ)
		for n := range 40 {
			if some == 40 || some == n {
				want.Elem().Field(n).SetUint(uint64(n + 1))
			}
		}
		if err := DecodeKnown(encoded(t, want.Interface()), got.Interface()); err != nil || !reflect.DeepEqual(want.Interface(), got.Interface()) {
			t.Errorf("%d: %+v came back as %+v: %v", some, want, got, err)
		}
	}
}

// Other encoders may send names in another order and form.
func TestMembersInAnotherOrderAndForm(t *testing.T) {
	type three struct{ A, B, Long012345678 int }
	for _, data := range []string{
		"\x83\xa1B\x02\xa1A\x01\xadLong012345678\x03", "\x83\xd9\x01B\x02\xda\x00\x01A\x01\xd9\x0dLong012345678\x03",
		"\x85\xa1B\x02\xa1X\x07\xadLong012345678\x03\xa2AA\x05\xa1A\x01", "\x84\xa1B\x02\xa0\x07\xadLong012345678\x03\xa1A\x01",
	} {
		var got three
		if err := Decode([]byte(data), &got); err != nil || got != (three{1, 2, 3}) {
			t.Errorf("%q is %+v, %v", data, got, err)
		}
	}
}
