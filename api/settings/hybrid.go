package settings

// DefaultSemanticRatio is that of a search that names an embedder and no ratio.
const DefaultSemanticRatio = 0.5

// Hybrid selects an embedder. SemanticRatio is within [0, 1].
type Hybrid struct {
	Embedder      string  `json:"embedder"`
	SemanticRatio float32 `json:"semanticRatio"`
}
