package score

// Shift is the affine transformation of similarities into scores. It moves a distribution of
// the given mean and deviation to mean 0.5 and deviation 0.4 (spec ranking 8.2).
type Shift struct{ Mean, Sigma float32 }

// Score turns a distance into a score: the similarity, shifted if s is not nil.
func (s *Shift) Score(distance float32) float32 {
	score := 1 - distance
	if s == nil {
		return score
	}
	factor := 0.4 / s.Sigma
	offset := 0.5 - float32(factor*s.Mean)
	score = float32(factor*score) + offset
	switch {
	case score <= 0:
		return 0x1p-23
	case score > 1:
		return 1
	}
	return score
}
