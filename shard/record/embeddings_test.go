package record

import (
	"reflect"
	"testing"
)

func TestEmbeddings(t *testing.T) {
	want := []Embedding{
		{Name: "a", UserProvided: true, Dimensions: 2, Values: []float32{0.1, -2, 3, 4}},
		{Name: "b", Regenerate: true, Dimensions: 3, Inputs: []uint64{}},
		{Name: "c", Regenerate: true, Dimensions: 1, Values: []float32{7, 8}, Stores: []uint16{4, 300}, Inputs: []uint64{1, 1 << 63}},
		{Name: "d", Quantized: true, Dimensions: 9, Values: []float32{1, -1, 1, 1, 1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, 1}},
	}
	data := AppendEmbeddings(nil, []Embedding{want[2], want[0], want[3], want[1]})
	got, err := ParseEmbeddings(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v %+v", err, got)
	}
	if got[0].Len() != 2 || got[0].Vector(1)[1] != 4 || got[1].Len() != 0 || got[0].Store(1) != 1 || got[2].Store(1) != 300 {
		t.Fatalf("vectors %v", got[0].Vector(1))
	}
	if got[2].Input(300) != 1<<63 || got[2].Input(5) != 0 || got[0].Input(0) != 0 {
		t.Fatal("inputs of stores")
	}
	if AppendEmbeddings(nil, nil) != nil {
		t.Fatal("no embeddings have a form")
	}
}

func FuzzParseEmbeddings(f *testing.F) {
	f.Add(AppendEmbeddings(nil, []Embedding{{Name: "a", Dimensions: 2, Values: []float32{1, 2}, Inputs: []uint64{5}}}))
	f.Add(AppendEmbeddings(nil, []Embedding{{Name: "a", Quantized: true, Dimensions: 9, Values: make([]float32, 18), Stores: []uint16{3, 4}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseEmbeddings(data)
		if err != nil {
			return
		}
		for i := range list {
			for j := range list[i].Len() {
				list[i].Vector(j)
				list[i].Input(list[i].Store(j))
			}
		}
	})
}
