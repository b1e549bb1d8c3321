package routing

import (
	"sync"
	"time"

	"shoal/api"
	"shoal/api/apierr"
)

// keyTable enforces the limits of keys on this node. It holds only keys that have limits.
// Safe for concurrent use.
type keyTable struct {
	mu    sync.Mutex
	uses  map[string]*keyUse // by uid
	swept time.Time
	now   func() time.Time
}

// keyUse is the usage of a key. left is how many requests it may send at once. It grows
// with time up to the number for one second.
type keyUse struct {
	left     float64
	at       time.Time
	searches uint64
}

func newKeyTable() *keyTable { return &keyTable{uses: map[string]*keyUse{}, now: time.Now} }

// request counts a request of the key, nil for none.
func (t *keyTable) request(k *api.Key) error {
	if k == nil || k.Limits.RequestsPerSecond == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	most, now := float64(k.Limits.RequestsPerSecond), t.now()
	u := t.useOf(k, now)
	u.left = min(most, u.left+now.Sub(u.at).Seconds()*most)
	u.at = now
	if u.left < 1 {
		return apierr.TooManyRequestsOfKey(k.Limits.RequestsPerSecond)
	}
	u.left--
	return nil
}

// search counts a search of the key. Unless it fails, the caller must call ended once.
func (t *keyTable) search(k *api.Key) (ended func(), err error) {
	if k == nil || k.Limits.SearchesAtOnce == 0 {
		return func() {}, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.useOf(k, t.now())
	if u.searches >= k.Limits.SearchesAtOnce {
		return nil, apierr.TooManySearchesOfKey(k.Limits.SearchesAtOnce)
	}
	u.searches++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		u.searches--
	}, nil
}

// useOf is the usage of a key. It forgets keys that have been idle for a while.
func (t *keyTable) useOf(k *api.Key, now time.Time) *keyUse {
	if now.Sub(t.swept) > time.Minute {
		t.swept = now
		for uid, u := range t.uses {
			// After a second an idle key has as many requests left as a new one.
			if u.searches == 0 && now.Sub(u.at) > time.Second {
				delete(t.uses, uid)
			}
		}
	}
	u := t.uses[k.UID]
	if u == nil {
		u = &keyUse{left: float64(k.Limits.RequestsPerSecond), at: now}
		t.uses[k.UID] = u
	}
	return u
}
