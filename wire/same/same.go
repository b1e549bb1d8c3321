package same

import (
	"runtime"
	"sync"
	"weak"
)

// Values are the values that somebody holds, by what they were made of. They are shared: do
// not modify. The zero value is ready. Safe for concurrent use.
type Values[K comparable, V any] struct {
	mu sync.Mutex
	by map[K]weak.Pointer[V]
}

// Of returns the value that is made of a key: one that somebody holds, or what create makes.
// Goroutines that ask at the same time may each create one; all get the same.
func (s *Values[K, V]) Of(key K, create func() (*V, error)) (*V, error) {
	s.mu.Lock()
	v := s.by[key].Value()
	s.mu.Unlock()
	if v != nil {
		return v, nil
	}
	fresh, err := create()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.by[key].Value(); v != nil {
		return v, nil
	}
	if s.by == nil {
		s.by = map[K]weak.Pointer[V]{}
	}
	s.by[key] = weak.Make(fresh)
	runtime.AddCleanup(fresh, s.forget, key)
	return fresh, nil
}

// forget takes a value off the list that nobody holds any more, unless there is a new one.
func (s *Values[K, V]) forget(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[key].Value() == nil {
		delete(s.by, key)
	}
}

// Len is how many there are, and some that nobody holds any more.
func (s *Values[K, V]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.by)
}
