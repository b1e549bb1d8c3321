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
	// Keys lists all keys. The slice is immutable and stays the same one while no key
	// changes.
	Keys() []*api.Key
}

// Authenticator knows the master key and finds API keys by their value.
type Authenticator struct {
	master string
	keys   KeyList
	now    func() time.Time // what expires is judged by

	// known is the index of keys by value for one list of keys.
	known atomic.Pointer[keyIndex]
	mu    sync.Mutex // of building it
	// digests remembers values by uid: they never change under one master key.
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

// isMaster compares in constant time, whatever the lengths.
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

// Value is the text of a key's value, 64 hexadecimal digits.
func (a *Authenticator) Value(uid string) string {
	d := a.derive(uid)
	return hex.EncodeToString(d[:])
}

// index returns the index of the current keys, rebuilt when they changed.
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

// ByValue finds a key by its value in hexadecimal, of either case.
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
	// The map found it by a seeded hash; the decision itself is constant time.
	d := a.derive(key.UID)
	if subtle.ConstantTimeCompare(raw, d[:]) != 1 {
		return nil
	}
	return key
}

// ByUID finds a key by its normalised uid.
func (a *Authenticator) ByUID(uid string) *api.Key { return a.index().byUID[uid] }

// resolve finds the key behind a token: a tenant token where those are accepted,
// else an API key.
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
