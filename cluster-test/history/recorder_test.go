package history

import (
	"testing"
	"time"
)

// story is a history by hand; each step is one tick.
type story struct {
	*Recorder
	tick int64
}

func newStory() *story {
	s := &story{Recorder: &Recorder{}}
	s.clock = func() int64 { s.tick++; return s.tick }
	return s
}

func (s *story) sees(batch int) { s.Read(1)(batch) }

func TestHistoriesThatAreExplained(t *testing.T) {
	for name, tell := range map[string]func(s *story){
		"nothing, then a write": func(s *story) {
			s.sees(0)
			s.Write(1, 1)(true)
			s.sees(1)
		},
		"during a write either": func(s *story) {
			s.Write(1, 1)(true)
			known := s.Write(1, 2)
			s.sees(2)
			s.sees(1) // another node
			s.sees(2)
			known(true)
			s.sees(2)
		},
		"an unknown fate, then never": func(s *story) {
			s.Write(1, 1)(true)
			s.Write(1, 2)(false)
			s.sees(1)
		},
		"an unknown fate, late": func(s *story) {
			s.Write(1, 1)(false)
			s.Write(1, 2)(true)
			s.sees(2)
			s.sees(1)
		},
		"a read that takes long": func(s *story) {
			s.Write(1, 1)(true)
			seen := s.Read(1)
			s.Write(1, 2)(true)
			seen(1)
			s.sees(2)
		},
	} {
		s := newStory()
		tell(s)
		if err := s.Check(10 * time.Second); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHistoriesThatNothingExplains(t *testing.T) {
	for name, tell := range map[string]func(s *story){
		"a write that succeeded is gone": func(s *story) {
			s.Write(1, 1)(true)
			s.sees(0)
		},
		"an older one comes back": func(s *story) {
			s.Write(1, 1)(true)
			s.Write(1, 2)(true)
			s.sees(1)
		},
		"a node is behind what another called succeeded": func(s *story) {
			s.Write(1, 1)(true)
			known := s.Write(1, 2)
			s.sees(2)
			known(true)
			s.sees(2)
			s.sees(1)
		},
		"something that nobody wrote": func(s *story) {
			s.Write(1, 1)(true)
			s.sees(3)
		},
		"something before it was sent": func(s *story) {
			s.sees(1)
			s.Write(1, 1)(true)
		},
	} {
		s := newStory()
		tell(s)
		if s.Check(10*time.Second) == nil {
			t.Errorf("%s: is explained", name)
		}
	}
}
