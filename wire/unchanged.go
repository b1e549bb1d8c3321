package wire

import "bytes"

// Unchanged names the parts of an index record that a change leaves as the catalogue has
// them, so that a batch on an index of many fields or long settings does not carry
// all of them through the log.
type Unchanged struct {
	// Version is that of the record which the change was made from; another one
	// refuses the change.
	Version uint64 `msgpack:"v"`
	// Settings: they stay.
	Settings bool `msgpack:"s"`
	// Fields is how many names stay; those of the change follow.
	Fields int `msgpack:"f"`
}

// UnchangedSince is the Version that brought Unchanged.
const UnchangedSince = 2

// keptFrom is from how many bytes on something is worth leaving out.
const keptFrom = 1 << 10

// PutIndexOver is the change from a published record of an index to the next one.
// Both stay the caller's. All nodes must know UnchangedSince.
func PutIndexOver(base, next *Index) Change {
	if base.ID != next.ID || base.ID == 0 {
		return Change{PutIndex: next}
	}
	k := &Unchanged{Version: base.Version}
	k.Settings = len(base.Settings) >= keptFrom && bytes.Equal(base.Settings, next.Settings)
	saved := 0
	for k.Fields < min(len(base.Fields), len(next.Fields)) && base.Fields[k.Fields] == next.Fields[k.Fields] {
		saved += len(base.Fields[k.Fields])
		k.Fields++
	}
	if saved < keptFrom {
		k.Fields = 0
	}
	if !k.Settings && k.Fields == 0 {
		return Change{PutIndex: next}
	}
	short := next.Clone()
	if short.Fields = short.Fields[k.Fields:]; k.Settings {
		short.Settings = nil
	}
	return Change{PutIndex: short, Unchanged: k}
}

// Index returns the record that a change puts in the place of old, which is nil for
// a new index. ok is false when the change was made from another record.
func (c *Change) Index(old *Index) (x *Index, ok bool) {
	x = c.PutIndex.Clone()
	k := c.Unchanged
	if k == nil {
		return x, true
	}
	if old == nil || old.Version != k.Version || len(old.Fields) < k.Fields {
		return nil, false
	}
	x.Fields = append(old.Fields[:k.Fields:k.Fields], x.Fields...)
	if k.Settings {
		x.Settings = old.Settings
		x.decoded.p.Store(old.decoded.p.Load())
	}
	return x, true
}
