package damage

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"shoal/shard/store"
	"shoal/wire"
)

// Faults judges the errors of readers: it registers what the disk lost, and says who
// answers instead. The fields must be set. Safe for concurrent use.
type Faults struct {
	*Register
	// Elsewhere reports whether another node has the shard in sync.
	Elsewhere func(key wire.ShardKey) bool
	// Index returns the name of an index for the log, "" if it is unknown.
	Index func(id uint32) string
	Now   func() time.Time
	Log   *slog.Logger
}

// Translate translates an error of reading shards. Lost data becomes wire.ErrUnavailable,
// so that the caller asks another copy, or wire.ErrDamaged if there is no other copy. A
// shard that was read alone is marked as damaged, and so is one whose words cannot be read. Else,
// when several were read together, the scrubber finds the right one, because the store reports
// the file to it.
func (f *Faults) Translate(err error, keys ...wire.ShardKey) error {
	if err == nil || !store.Damaged(err) || errors.Is(err, wire.ErrUnavailable) || errors.Is(err, wire.ErrDamaged) {
		return err
	}
	var words *WordsError
	switch {
	case errors.As(err, &words):
		f.Mark(words.Key, err)
	case len(keys) == 1:
		f.Mark(keys[0], err)
	}
	condition := wire.ErrUnavailable
	if slices.ContainsFunc(keys, func(key wire.ShardKey) bool { return !f.Elsewhere(key) }) {
		condition = wire.ErrDamaged
	}
	return fmt.Errorf("shards %v on this node (%s): %w", keys, store.Reason(err), condition)
}

// Mark marks a shard as damaged.
func (f *Faults) Mark(key wire.ShardKey, why error) {
	if !f.add(Damage{Key: key, Since: f.Now(), Why: store.Reason(why)}) {
		return
	}
	args := []any{slog.String("index", f.Index(key.IndexID)), slog.Int("shard", int(key.Shard)), slog.String("error", store.Reason(why))}
	if f.Elsewhere(key) {
		f.Log.Error("shard: a part of a shard is damaged on this disk; other nodes answer for it until a copy arrives", args...)
		return
	}
	f.Log.Error("shard: a part of a shard is damaged on this disk and no other node has a copy: sound parts are still served; restore the index from a snapshot or dump, or add its documents again", args...)
}

// Refusal explains why a shard must not be read here: it was emptied, or another node
// has a whole copy. nil means that it may be read.
func (f *Faults) Refusal(key wire.ShardKey) error {
	d, damaged := f.Of(key)
	if !damaged || !d.Emptied && !f.Elsewhere(key) {
		return nil
	}
	return fmt.Errorf("shard %v is damaged on this node: %w", key, wire.ErrUnavailable)
}

// WordsError reports that the words of a shard cannot be read.
type WordsError struct {
	Key wire.ShardKey
	Err error
}

// Error implements error.
func (e *WordsError) Error() string { return fmt.Sprintf("the words of shard %v: %v", e.Key, e.Err) }

// Unwrap returns the error of the store.
func (e *WordsError) Unwrap() error { return e.Err }
