package columnist

import "sync"

// construction are the names of files that are being written: no table names them yet.
// Safe for concurrent use.
type construction struct {
	mu   sync.Mutex
	made map[string]struct{}
}

// begin records that a file is under construction.
func (s *construction) begin(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[name] = struct{}{}
}

// end records that a table names the file, or never will.
func (s *construction) end(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.made, name)
}

// unless calls remove, one call at a time, unless the file is under construction.
func (s *construction) unless(name string, remove func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, making := s.made[name]; making {
		return nil
	}
	return remove()
}
