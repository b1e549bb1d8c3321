package columnist

import "sync"

// shared are the files that tell of several shards, while they are open, and the names of
// those that are being made. Safe for concurrent use.
type shared struct {
	mu   sync.Mutex
	open map[string]*file
	made map[string]struct{}
}

// find returns an open file, which the caller holds then; nil when it is not open.
func (s *shared) find(name string) *file {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acquire(name)
}

func (s *shared) acquire(name string) *file {
	f := s.open[name]
	for f != nil {
		n := f.refs.Load()
		if n == 0 {
			return nil // it is being closed
		}
		if f.refs.CompareAndSwap(n, n+1) {
			return f
		}
	}
	return nil
}

// share lets others find a file that the caller has opened and holds. It returns the one
// to use, which the caller holds, too: another one if that was there already.
func (s *shared) share(f *file) *file {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.acquire(f.name); first != nil {
		return first
	}
	s.open[f.name], f.shared = f, s
	return f
}

// closing forgets a file that nobody holds.
func (s *shared) closing(f *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[f.name] == f {
		delete(s.open, f.name)
	}
}

// making tells that a file is being made: no table has it yet.
func (s *shared) making(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[name] = struct{}{}
}

// finished tells that the tables have a file that was made, or never will.
func (s *shared) finished(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.made, name)
}

// unless removes a file by remove, one at a time, unless it is being made.
func (s *shared) unless(name string, remove func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, making := s.made[name]; making {
		return nil
	}
	return remove()
}
