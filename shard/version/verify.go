package version

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/posting"
	"shoal/shard/store"
)

// errDiffers: the state in memory differs from the store.
var errDiffers = errors.New("shard: memory differs from the store")

// Verify compares the state in memory of a View with the same version read from the
// store. It reads everything; for tests.
func (v *View) Verify(stored *Version) error {
	differs := func(what string, args ...any) error {
		return fmt.Errorf("%w: %s", errDiffers, fmt.Sprintf(what, args...))
	}
	if !stored.live.Equal(v.live) {
		return differs("documents %v, stored %v", v.live.AppendTo(nil), stored.live.AppendTo(nil))
	}
	if !stored.rows.Equal(v.rows) {
		return differs("ordinals of rows")
	}
	words, exact, err := v.Dictionaries()
	storedWords, storedExact, err2 := stored.Dictionaries()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if !maps.Equal(maps.Collect(storedWords.All()), maps.Collect(words.All())) || !maps.Equal(maps.Collect(storedExact.All()), maps.Collect(exact.All())) {
		return differs("dictionaries")
	}
	if !slices.Equal(stored.fields, v.fields) || string(stored.raw) != string(v.raw) {
		return differs("fields or settings")
	}
	for word := range storedWords.All() {
		kept, err := v.Word(word)
		have, err2 := stored.readWord(store.TableWord, word)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if !kept.Equal(have) {
			return differs("word %q: %v, stored %v", word, kept.AppendTo(nil), have.AppendTo(nil))
		}
	}
	if err := errors.Join(v.readFacets(stored), v.verifyFresh(stored)); err != nil {
		return err
	}
	return v.line().Each(func(p posting.List, set docset.Set) error {
		have, err := stored.ReadPosting(p)
		if err == nil && !have.Equal(set) {
			err = differs("posting list %d %q: %v, stored %v", p.Table, p.Name, set.AppendTo(nil), have.AppendTo(nil))
		}
		return err
	})
}

// verifyFresh compares the cached records, and all records as they are read.
func (v *View) verifyFresh(stored *Version) error {
	r, have := v.Tokens(), stored.OpenRows(store.TableTokens)
	defer have.Close()
	kept := v.fresh.Load()
	for ord := range v.live.All() {
		want, has, err := have.Read(ord)
		_, found, err2 := r.Read(ord)
		if err := errors.Join(err, err2); err != nil {
			return errors.Join(err, r.Close())
		}
		if rec, ok, known := kept.read(ord); found != has || known && (ok != has || string(rec) != string(want)) {
			return errors.Join(fmt.Errorf("%w: record of document %d: %x, stored %x", errDiffers, ord, rec, want), r.Close())
		}
	}
	return r.Close()
}

// readFacets reads all values of the faceted fields, so that they are cached.
func (v *View) readFacets(stored *Version) error {
	for fid := range v.fields {
		err := stored.walkValues(store.TableString, uint16(fid), false, true, func(rest []byte, _ docset.Set) (bool, error) {
			form, err := stringOf(rest)
			if err == nil {
				_, err = v.String(uint16(fid), string(form))
			}
			return err == nil, err
		})
		_, err2 := v.Exists(uint16(fid))
		_, err3 := v.Empty(uint16(fid))
		if err := errors.Join(err, err2, err3); err != nil {
			return err
		}
	}
	return nil
}
