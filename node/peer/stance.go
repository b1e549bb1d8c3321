package peer

import "sync"

// StretchedSince is the wire.Version whose programs stretch a secret that is not
// random. Older ones know it in its older form only, which one hash makes of a guess:
// a certificate or a message of gossip in that form lets anybody who sees it try
// millions in a second. It is used as long as a cluster has such programs
// (docs/adr/0010).
const StretchedSince = 3

// Stance is which forms of its secret a node shows and believes.
type Stance uint8

const (
	// Open shows the stretched form and believes both: nobody has shown yet that the
	// older one is needed, or it was needed a moment ago.
	Open Stance = iota
	// Mixed shows the older form to those who know no other, and in gossip.
	Mixed
	// Closed shows and believes the stretched form only.
	Closed
)

// String names the stance.
func (s Stance) String() string { return [...]string{"open", "mixed", "closed"}[s] }

// stanceHolder is a stance and who wants to hear of another one.
type stanceHolder struct {
	mu     sync.Mutex
	now    Stance
	change func(Stance)
}

// Stance is the present one, Closed for ever when all texts are random.
func (s *Secret) Stance() Stance {
	if !s.twoForms() {
		return Closed
	}
	s.stance.mu.Lock()
	defer s.stance.mu.Unlock()
	return s.stance.now
}

// Take changes the stance from one to another. It reports false when the present one
// is not from, or the secret has one form only.
func (s *Secret) Take(from, to Stance) bool {
	if !s.twoForms() || from == to {
		return false
	}
	s.stance.mu.Lock()
	taken := s.stance.now == from
	if taken {
		s.stance.now = to
	}
	change := s.stance.change
	s.stance.mu.Unlock()
	if taken && change != nil {
		change(to)
	}
	return taken
}

// OnStance makes every later change of the stance call f, in the goroutine that
// changes it.
func (s *Secret) OnStance(f func(Stance)) {
	s.stance.mu.Lock()
	defer s.stance.mu.Unlock()
	s.stance.change = f
}

// twoForms tells whether one of the texts is not random.
func (s *Secret) twoForms() bool {
	for _, f := range s.all() {
		if f.two {
			return true
		}
	}
	return false
}
