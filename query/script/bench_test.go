package script

import "testing"

// BenchmarkEdit: one typical edit of one document of a film.
func BenchmarkEdit(b *testing.B) {
	p, err := Compile("doc.title = `✨ ${doc.title.to_upper()} ✨`; doc.tags.push(context.tag); if doc.rating > 5.0 { doc.good = true; }")
	if err != nil {
		b.Fatal(err)
	}
	context, err := ParseContext([]byte(`{"tag":"new"}`))
	if err != nil {
		b.Fatal(err)
	}
	doc := []byte(`{"id":1,"title":"Batman Returns","overview":"While Batman deals with a deformed man calling himself the Penguin, an employee of a corrupt businessman transforms into the Catwoman.","tags":["hero","dark"],"rating":7.1,"year":1992}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, _, err := p.Run(doc, context, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
