package score

import "testing"

// TestShiftedScoresAreThoseOfTheSpecification has the numbers of C16 of the specification.
func TestShiftedScoresAreThoseOfTheSpecification(t *testing.T) {
	s := &Shift{Mean: 0.7, Sigma: 0.3}
	for distance, want := range map[float32]float32{0: 0.9, 0.2: 0.6333333, 0.5: 0.23333335, 1: 0x1p-23, -5: 1} {
		if got := s.Score(distance); got-want > 1e-6 || want-got > 1e-6 {
			t.Errorf("distance %v scores %v, want %v", distance, got, want)
		}
	}
	if got := (*Shift)(nil).Score(0.25); got != 0.75 {
		t.Errorf("without distribution %v", got)
	}
}
