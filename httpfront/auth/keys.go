package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"shoal/api"
	"shoal/api/apierr"
)

// digest is the value of a key: HMAC-SHA256 of its uid under the master key
// (spec tasks-auth-ops-api 6.2).
type digest [sha256.Size]byte

// KeyList is where keys are stored.
type KeyList interface {
	// Keys lists all keys. The slice is immutable. Successive calls return the same slice
	// while no key changes.
	Keys() []*api.Key
}

// Authenticator knows the master key and finds API keys by their value.
type Authenticator struct {
	master string
	keys   KeyList
	now    func() time.Time // the clock for expiry

	// known indexes the last seen list of keys by value.
	known atomic.Pointer[keyIndex]
	mu    sync.Mutex // held while building known and digests
	// digests caches values by uid. Under one master key they never change.
	digests map[string]digest
}

// keyIndex is immutable.
type keyIndex struct {
	list    []*api.Key
	byValue map[digest]*api.Key
	byUID   map[string]*api.Key
}

func New(master string, keys KeyList, now func() time.Time) *Authenticator {
	return &Authenticator{master: master, keys: keys, now: now, digests: map[string]digest{}}
}

// isMaster takes constant time, whatever the lengths.
func (a *Authenticator) isMaster(token string) bool {
	x, y := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(a.master))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// derive computes the value of a key.
func (a *Authenticator) derive(uid string) digest {
	mac := hmac.New(sha256.New, []byte(a.master))
	mac.Write([]byte(uid)) // a hash never fails to write
	return digest(mac.Sum(nil))
}

// Value is the value of a key as text, 64 hexadecimal digits.
func (a *Authenticator) Value(uid string) string {
	d := a.derive(uid)
	return hex.EncodeToString(d[:])
}

// index returns the index of the current keys. It rebuilds the index when keys have
// changed.
func (a *Authenticator) index() *keyIndex {
	list := a.keys.Keys()
	if k := a.known.Load(); k != nil && sameList(k.list, list) {
		return k
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	k := &keyIndex{list: list, byValue: make(map[digest]*api.Key, len(list)), byUID: make(map[string]*api.Key, len(list))}
	fresh := make(map[string]digest, len(list))
	for _, key := range list {
		d, ok := a.digests[key.UID]
		if !ok {
			d = a.derive(key.UID)
		}
		fresh[key.UID] = d
		k.byValue[d], k.byUID[key.UID] = key, key
	}
	a.digests = fresh
	a.known.Store(k)
	return k
}

// sameList tells whether two immutable lists are the same slice.
func sameList(a, b []*api.Key) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// ByValue finds a key by its value in hexadecimal digits, upper or lower case.
func (a *Authenticator) ByValue(token string) *api.Key {
	if len(token) != 2*sha256.Size {
		return nil
	}
	raw, err := hex.DecodeString(token)
	if err != nil {
		return nil
	}
	key := a.index().byValue[digest(raw)]
	if key == nil {
		return nil
	}
	// The map lookup uses a seeded hash. The decision itself takes constant time.
	d := a.derive(key.UID)
	if subtle.ConstantTimeCompare(raw, d[:]) != 1 {
		return nil
	}
	return key
}

// ByUID finds a key by its normalised uid.
func (a *Authenticator) ByUID(uid string) *api.Key { return a.index().byUID[uid] }

// resolve finds the key behind a token: a tenant token if the action accepts one, otherwise
// an API key.
func (a *Authenticator) resolve(token, action string) (*api.Key, *searchRules, *apierr.Error) {
	if action == "search" || action == "chatCompletions" {
		claims, isTenant, err := a.tenantToken(token)
		if err != nil {
			return nil, nil, err
		}
		if isTenant {
			key := a.ByUID(claims.keyUID)
			if key == nil {
				return nil, nil, ErrInvalidKey
			}
			return key, claims.rules, nil
		}
	}
	key := a.ByValue(token)
	if key == nil {
		return nil, nil, ErrInvalidKey
	}
	return key, nil, nil
}
