package wire

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"weak"

	"shoal/api/settings"
)

// decodedSettings are settings together with their stored form. Whoever points to the
// settings holds all of it.
type decodedSettings struct {
	raw      string
	settings settings.Settings
}

// held are the settings that somebody in this process holds, by the hash of their stored
// form. Most indexes of a cluster with many have the settings of all the others, and decode
// them on each node twice: for the catalogue and for the shard. Of two forms with one hash
// the newer one is found.
var held = struct {
	sync.Mutex
	seed maphash.Seed
	by   map[uint64]weak.Pointer[decodedSettings]
}{seed: maphash.MakeSeed(), by: map[uint64]weak.Pointer[decodedSettings]{}}

// DecodeSettings decodes settings in the form of EncodeSettings; no bytes at all are the
// defaults. Equal bytes give the same settings while somebody holds them: do not modify.
// Safe for concurrent use.
func DecodeSettings(raw []byte) (*settings.Settings, error) {
	hash := maphash.Bytes(held.seed, raw)
	if d := heldSettings(hash); d != nil && d.raw == string(raw) {
		return &d.settings, nil
	}
	d := &decodedSettings{raw: string(raw)}
	if len(raw) == 0 {
		d.settings = *settings.Default()
	} else if err := json.Unmarshal(raw, &d.settings); err != nil {
		return nil, fmt.Errorf("stored settings: %w", err)
	}
	held.Lock()
	defer held.Unlock()
	if other := held.by[hash].Value(); other != nil && other.raw == d.raw {
		return &other.settings, nil // another goroutine was first
	}
	held.by[hash] = weak.Make(d)
	runtime.AddCleanup(d, forgetSettings, hash)
	return &d.settings, nil
}

func heldSettings(hash uint64) *decodedSettings {
	held.Lock()
	defer held.Unlock()
	return held.by[hash].Value()
}

// forgetSettings takes settings that nobody holds any more off the list.
func forgetSettings(hash uint64) {
	held.Lock()
	defer held.Unlock()
	if held.by[hash].Value() == nil {
		delete(held.by, hash)
	}
}
