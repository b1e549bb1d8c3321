package life

import "fmt"

// embedders are the vectors that documents bring along.
var embedders = []string{"flat", "deep"}

// dimensions are few, so that documents lie close together and order is a close
// call.
const dimensions = 4

// vector has coordinates on a coarse grid: documents with equal distances have to
// be told apart.
func (w *World) vector() []float64 {
	v := make([]float64, dimensions)
	for i := range v {
		v[i] = float64(w.r.IntN(9)-4) / 4
	}
	return v
}

// vectors is the member _vectors of a document. Without an entry for each embedder
// its task would fail.
func (w *World) vectors() map[string]any {
	out := map[string]any{}
	for _, name := range embedders {
		switch w.r.IntN(8) {
		case 0:
			out[name] = nil
		case 1:
			out[name] = map[string]any{"embeddings": [][]float64{w.vector(), w.vector()}, "regenerate": false}
		case 2:
			out[name] = map[string]any{"embeddings": w.vector(), "regenerate": true}
		default:
			out[name] = w.vector()
		}
	}
	return out
}

// embedding is the setting that makes them count.
func (w *World) embedding() map[string]any {
	one := func() any { return map[string]any{"source": "userProvided", "dimensions": dimensions} }
	switch w.r.IntN(8) {
	case 0:
		return map[string]any{pick(w, embedders): nil}
	case 1:
		return map[string]any{"flat": map[string]any{"source": "userProvided", "dimensions": dimensions, "distribution": map[string]any{"mean": 0.5, "sigma": 0.25}}}
	default:
		return map[string]any{"flat": one(), "deep": one()}
	}
}

// semantic turns a search into one by vector, alone or besides its words.
func (w *World) semantic(q map[string]any) {
	q["hybrid"] = map[string]any{"embedder": pick(w, embedders), "semanticRatio": pick(w, []float64{0, 0.25, 0.5, 0.5, 0.75, 1})}
	q["vector"] = w.vector()
	if w.chance(30) {
		q["retrieveVectors"] = true
	}
}

// similar asks for documents near another one.
func (w *World) similar(uid string) Request {
	q := map[string]any{"id": w.id(uid), "embedder": pick(w, embedders), "limit": w.r.IntN(30), "offset": w.r.IntN(5)}
	if w.chance(40) {
		q["filter"] = w.filter(1)
	}
	if w.chance(50) {
		q["showRankingScore"], q["showRankingScoreDetails"] = true, w.chance(50)
	}
	if w.chance(20) {
		q["rankingScoreThreshold"] = float64(w.r.IntN(10)) / 10
	}
	if w.chance(20) {
		q["retrieveVectors"] = true
	}
	return w.send("POST", "/indexes/"+uid+"/similar", q, false)
}

// edit changes documents by a function.
func (w *World) edit(uid string) Request {
	body := map[string]any{"function": pick(w, []string{
		`doc.title = doc.title + " edited"`,
		`doc.year += context.by`,
		`if doc.year % 3 == 0 { doc = () } else { doc.touched = true }`,
		`doc.tags = ["edited", "lantern"]`,
		`doc.remove("overview")`,
		`doc.copy = doc.title.to_upper(); doc.nested = #{ deep: "edited" }`,
		`doc.none.at.all = 1`,
		// Fails with a text that names the document, for some of those that match.
		`if doc.id % 4 == 1 { throw "not " + doc.id } doc.touched = "yes"`,
		`if doc.id % 4 == 2 { throw doc.title } if doc.id % 4 == 1 { doc._geo = "of " + doc.id }`,
		`if doc.id % 3 == 1 { doc._geo = #{ lat: doc.id + "", lng: "x" } }`,
		`if doc.id % 5 == 1 { doc.id += 10000 }`,
	}), "context": map[string]any{"by": 1 + w.r.IntN(3)}}
	if w.chance(85) {
		body["filter"] = "(" + w.filter(w.r.IntN(3)) + ")" + fmt.Sprintf(" AND year = %d", 1980+w.r.IntN(40))
	}
	return w.send("POST", "/indexes/"+uid+"/documents/edit", body, true)
}
