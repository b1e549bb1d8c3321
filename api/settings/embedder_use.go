package settings

import "slices"

// Embedder returns the definition of a configured embedder with its dimensions
// as far as they are known. ok is false when there is none of that name. err
// means that the stored definition does not decode.
func (s *Settings) Embedder(name string) (e *Embedder, ok bool, err error) {
	raw, ok := s.Embedders[name]
	if !ok {
		return nil, false, nil
	}
	if e, err = ParseEmbedder(raw); err != nil {
		return nil, false, err
	}
	if e.Dimensions == 0 {
		e.Dimensions = s.EmbedderDimensions[name]
	}
	return e, true, nil
}

// nativeDimensions are those that the definition itself tells, 0 without.
func (e *Embedder) nativeDimensions() int {
	switch e.Source {
	case "openAi":
		model := e.Model
		if model == "" {
			model = defaultOpenAIModel
		}
		at := slices.IndexFunc(openAIModels, func(m openAIModel) bool { return m.name == model })
		if at >= 0 && (e.Dimensions == 0 || openAIModels[at].fixed) {
			return int(openAIModels[at].dimensions)
		}
	case "composite":
		for _, half := range []*Embedder{e.IndexingEmbedder, e.SearchEmbedder} {
			if half != nil && e.Dimensions == 0 && half.Dimensions > 0 {
				return half.Dimensions
			}
		}
	}
	return e.Dimensions
}

// Shift returns the mean and the deviation by which similarities become scores:
// those of the definition, else those known for the model; ok is false without
// (spec write-api 13.5).
func (e *Embedder) Shift() (mean, sigma float64, ok bool) {
	if e.HasDistribution {
		return e.DistributionMean, e.Sigma, true
	}
	switch e.Source {
	case "openAi":
		for _, m := range openAIModels {
			if m.name == e.Model {
				return m.mean, m.sigma, true
			}
		}
	case "composite":
		for _, half := range []*Embedder{e.SearchEmbedder, e.IndexingEmbedder} {
			if half == nil {
				continue
			}
			if mean, sigma, ok := half.Shift(); ok {
				return mean, sigma, true
			}
		}
	}
	return 0, 0, false
}

// SupportsDimensions tells whether an openAi model may be asked for vectors of
// other dimensions than its own.
func (e *Embedder) SupportsDimensions() bool {
	at := slices.IndexFunc(openAIModels, func(m openAIModel) bool { return m.name == e.Model })
	return at < 0 || !openAIModels[at].fixed
}
