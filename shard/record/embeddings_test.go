package record

import (
	"reflect"
	"testing"
)

func TestEmbeddings(t *testing.T) {
	want := []Embedding{
		{Name: "a", Dimensions: 2, Values: []float32{0.1, -2, 3, 4}},
		{Name: "b", Regenerate: true, Dimensions: 3},
		{Name: "c", Dimensions: 1, Values: []float32{7}},
	}
	data := AppendEmbeddings(nil, []Embedding{want[2], want[0], want[1]})
	got, err := ParseEmbeddings(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v %+v", err, got)
	}
	if got[0].Len() != 2 || got[0].Vector(1)[1] != 4 || got[1].Len() != 0 {
		t.Fatalf("vectors %v", got[0].Vector(1))
	}
	if AppendEmbeddings(nil, nil) != nil {
		t.Fatal("no embeddings have a form")
	}
}

func FuzzParseEmbeddings(f *testing.F) {
	f.Add(AppendEmbeddings(nil, []Embedding{{Name: "a", Dimensions: 2, Values: []float32{1, 2}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseEmbeddings(data)
		if err != nil {
			return
		}
		for i := range list {
			for j := range list[i].Len() {
				list[i].Vector(j)
			}
		}
	})
}
