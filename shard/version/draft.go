package version

import (
	"encoding/binary"
	"fmt"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/rows"
	"shoal/shard/store"
	"shoal/shard/vector"
	"shoal/wire"
)

// Draft is the state in memory of the version after a delta. It is computed while the
// delta waits for its commit, because searches wait for an install. Immutable.
type Draft struct {
	// after is the serial of the version that the delta is based on.
	after  uint64
	keys   store.Keyspace
	state  State
	stored *settings.Settings
	raw    []byte
	fields []string
	live   docset.Set

	words, exact *lexicon.Dictionary
	last         step
	embedded     docset.Set // documents whose vectors change
	rows         *rows.Table
	records      freshLayer
}

// Draft computes the version after a delta from its ops. The result refers to the ops.
// The cost is proportional to the delta.
func (c *Version) Draft(ops []byte) (*Draft, error) {
	d := &Draft{
		after: c.serial, keys: c.keys, state: c.state, stored: c.stored, raw: c.raw, fields: c.fields, live: c.live,
	}
	words, exactWords, err := c.Dictionaries()
	if err != nil {
		return nil, err
	}
	var embedded docset.Builder
	var tolerant, exact []lexicon.Change
	var pages []uint32
	var list [][]rows.Entry
	metaPrefix, wordPrefix := c.keys.Prefix(nil, store.TableMeta), c.keys.Prefix(nil, store.TableWords)
	dec := &store.OpDecoder{Rest: ops}
	for {
		o, ok, err := dec.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		switch store.TableOf(o.Key) {
		case store.TableMeta:
			err = d.readMeta(string(o.Key[len(metaPrefix):]), o.Value)
		case store.TableLive:
			err = d.patchLive(o)
		case store.TableRows:
			page, entries, fault := decodePage(o.Key, o.Value)
			pages, list, err = append(pages, page), append(list, entries), fault
		case store.TableVector:
			embedded.Add(binary.BigEndian.Uint32(o.Key[store.PrefixLen:]))
		case store.TableTokens:
			d.records.add(binary.BigEndian.Uint32(o.Key[store.PrefixLen:]), o.Value, o.Kind == store.OpDelete)
		case store.TableWords:
			word := string(o.Key[len(wordPrefix):])
			was := store.Counts{Tolerant: int64(words.Count(word)), Exact: int64(exactWords.Count(word))}
			change := store.Counts{Tolerant: -was.Tolerant, Exact: -was.Exact} // for a deletion
			if o.Kind == store.OpMerge {
				change, err = store.DecodeCounts(o.Value)
			}
			tolerant = appendChange(tolerant, word, was.Tolerant, change.Tolerant)
			exact = appendChange(exact, word, was.Exact, change.Exact)
		}
		if err != nil {
			return nil, err
		}
	}
	d.embedded = embedded.Set()
	if d.rows = c.rows; d.state.Rows {
		d.rows = c.rows.With(pages, list)
	}
	d.words, d.exact = words.Overlay(tolerant), exactWords.Overlay(exact)
	d.last = step{words: tolerant, exact: exact}
	return d, nil
}

// Next returns the version of a draft, once the store has its delta. ok is false if the
// draft is not based on c.
func (c *Version) Next(d *Draft) (n *Version, ok bool) {
	if d.after != c.serial {
		return nil, false
	}
	n = begin(c.shared, c.caching)
	n.keys, n.state, n.stored, n.raw, n.fields, n.live = d.keys, d.state, d.stored, d.raw, d.fields, d.live
	n.rows = d.rows
	n.lexica.set(d.words, d.exact)
	n.trail.last, n.epoch = d.last, c.epoch
	if n.vectors = c.vectors.Changed(d.embedded); n.keys.Gen.Vector != c.keys.Gen.Vector {
		n.vectors = vector.NewTable(n.live)
	}
	n.keepFresh(c, d.records)
	if n.keys.Gen != c.keys.Gen {
		// The ops describe the new content of rebuilt tables, not how it differs from
		// the old one.
		n.epoch = c.shared.epochs.Add(1)
	}
	return n, true
}

// keepFresh takes over the fresh records of the previous version and adds those of a
// delta.
func (c *Version) keepFresh(before *Version, records freshLayer) {
	if c.live.Len() >= FreshLeast && c.keys.Gen.Text == before.keys.Gen.Text {
		c.fresh.Store(before.fresh.Load().with(records))
	}
	c.shared.fresh.follow(before, c, c.shared.Records)
}

func appendChange(changes []lexicon.Change, word string, was, change int64) []lexicon.Change {
	if change == 0 {
		return changes
	}
	return append(changes, lexicon.Change{Word: word, Count: uint32(was + change)})
}

// readMeta applies one bookkeeping value.
func (d *Draft) readMeta(name string, value []byte) error {
	switch name {
	case MetaState:
		d.state = State{}
		if err := wire.Unmarshal(value, &d.state); err != nil {
			return fmt.Errorf("shard: state in a delta: %w", err)
		}
		d.keys.Gen = d.state.Generations
	case MetaSettings:
		s, err := DecodeSettings(value)
		if err != nil {
			return err
		}
		d.stored, d.raw = s, append([]byte(nil), value...)
	case MetaFields:
		d.fields = nil
		if err := wire.Unmarshal(value, &d.fields); err != nil {
			return fmt.Errorf("shard: fields in a delta: %w", err)
		}
	}
	return nil
}

func (d *Draft) patchLive(o store.Op) error {
	block := binary.BigEndian.Uint16(o.Key[len(o.Key)-2:])
	change := store.Operand{Clear: d.live.Block(block)} // for a deletion
	if o.Kind == store.OpMerge {
		var err error
		if change, err = store.DecodeOperand(o.Value); err != nil {
			return err
		}
	}
	var set, gone docset.Assembler
	set.Append(block, change.Set)
	gone.Append(block, change.Clear)
	d.live = d.live.AndNot(gone.Set()).Or(set.Set())
	return nil
}
