package same

import (
	"runtime"
	"sync"
	"weak"
)

// Values are the values in use, by the key from which they were made. They are shared: do not
// modify. The zero value is ready. Safe for concurrent use.
type Values[K comparable, V any] struct {
	mu sync.Mutex
	by map[K]weak.Pointer[V]
}

// Of returns the value of a key: one in use, or the result of create. Concurrent callers may
// each create one; all get the same.
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

// forget removes an entry whose value is no longer in use, unless it has a new one.
func (s *Values[K, V]) forget(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[key].Value() == nil {
		delete(s.by, key)
	}
}

// Len returns the number of entries, which may include some that are no longer in use.
func (s *Values[K, V]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.by)
}
