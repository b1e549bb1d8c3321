package wire

// Kind is what logs and traces call the step.
func (s *SearchStep) Kind() string {
	switch {
	case s.Vocabulary != nil:
		return "vocabulary"
	case s.Pairs != nil:
		return "pairs"
	case s.Begin != nil:
		return "begin"
	case s.Frequency != nil:
		return "frequency"
	case s.Universe != nil:
		return "universe"
	case s.Buckets != nil:
		return "buckets"
	case s.SharedField != nil:
		return "shared field"
	case s.Take != nil:
		return "take"
	case s.Top != nil:
		return "top"
	case s.Drop != nil:
		return "drop"
	case s.Exclude != nil:
		return "exclude"
	case s.Candidates != nil:
		return "candidates"
	case s.Narrow != nil:
		return "narrow"
	case s.FieldValues != nil:
		return "field values"
	case s.Values != nil:
		return "values"
	case s.Target != nil:
		return "target"
	case s.Nearest != nil:
		return "nearest"
	case s.Facets != nil:
		return "facets"
	case s.FacetLabels != nil:
		return "facet labels"
	case s.FacetSearch != nil:
		return "facet search"
	case s.Fetch != nil:
		return "fetch"
	}
	return "nothing"
}
