package columnist

import "sync"

// shared are the open files of several shards, and the names of files under
// construction. Safe for concurrent use.
type shared struct {
	mu   sync.Mutex
	open map[string]*file
	made map[string]struct{}
}

// find returns an open file with a reference, or nil.
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
			return nil // being closed
		}
		if f.refs.CompareAndSwap(n, n+1) {
			return f
		}
	}
	return nil
}

// share lets others find a file that the caller opened. If another one is already
// there, share returns that one with a reference.
func (s *shared) share(f *file) *file {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.acquire(f.name); first != nil {
		return first
	}
	s.open[f.name], f.shared = f, s
	return f
}

// closing removes a file without references.
func (s *shared) closing(f *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[f.name] == f {
		delete(s.open, f.name)
	}
}

// making records that a file is under construction: no table names it yet.
func (s *shared) making(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[name] = struct{}{}
}

// finished records that the tables name a built file, or never will.
func (s *shared) finished(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.made, name)
}

// unless calls remove, one call at a time, unless the file is under construction.
func (s *shared) unless(name string, remove func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, making := s.made[name]; making {
		return nil
	}
	return remove()
}
