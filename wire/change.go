package wire

import "bytes"

// Change is one catalogue change. Exactly one member is set, besides Unchanged and KeepDraining. A change that
// contradicts the present state (see PutIndex, SwapNames ...) makes the whole Commit or Update
// be refused: Result.Fenced is set and nothing is done.
type Change struct {
	// PutIndex replaces an index by ID. ID 0 assigns the next id to a new index; an ID at or
	// above Catalog.NextIndexID creates an index under that id. It is refused for an ID that
	// was dropped, a UID that differs from the catalogue's, and a new index whose name an index or an alias has.
	// CreatedAt and UpdatedAt of 0 become the entry's time. Replicas of existing shards are
	// taken from the catalogue, whatever the record contains (only PutReplica and
	// Commit.Holders change them); so is Wide of an existing index (only PutWide changes it).
	// In a Commit the same holds for ReplicaGoal. Deltas are cut
	// to the newest 64.
	PutIndex *Index `msgpack:"pi"`
	// Unchanged belongs to PutIndex: the parts of the record that it omits and that stay.
	Unchanged   *Unchanged `msgpack:"kp"`
	DropIndex   *uint32    `msgpack:"di"` // its aliases go with it
	SwapNames   *[2]uint32 `msgpack:"sn"` // exchange the UIDs of two indexes, task history follows
	RenameIndex *Rename    `msgpack:"ri"` // task history follows
	PutKey      *Key       `msgpack:"pk"`
	DropKey     *string    `msgpack:"dk"` // by uid
	PutValue    *Value     `msgpack:"pv"` // empty JSON removes it
	PutNode     *Node      `msgpack:"pn"`
	// KeepDraining belongs to PutNode: the draining mark of an existing node stays. All nodes
	// must know DrainingSince.
	KeepDraining bool            `msgpack:"nd"`
	DropNode     *NodeID         `msgpack:"dn"`
	PutReplica   *ReplicaChange  `msgpack:"pr"`
	CancelTasks  *CancelTasks    `msgpack:"ct"`
	DeleteTasks  *DeleteTasks    `msgpack:"dt"`
	PutWide      *WideChange     `msgpack:"pw"` // all nodes must know WideSince
	PutDraining  *DrainingChange `msgpack:"pd"` // all nodes must know DrainingSince
	PutAlias     *AliasChange    `msgpack:"pa"` // all nodes must know AliasesSince
}

// Rename gives an index another name.
type Rename struct {
	IndexID uint32 `msgpack:"i"`
	UID     string `msgpack:"u"`
	// Exchange: older tasks that named UID name the old uid from now on, as after a swap (spec
	// tasks-auth-ops-api 4.7). All nodes must know ExchangeSince.
	Exchange bool `msgpack:"x"`
}

// ExchangeSince is the Version that brought Rename.Exchange.
const ExchangeSince = 3

// ReplicaChange sets or removes one replica of one shard without touching the rest of the index
// record, which a running batch may be about to replace.
type ReplicaChange struct {
	IndexID uint32  `msgpack:"i"`
	Shard   uint16  `msgpack:"s"`
	Replica Replica `msgpack:"r"`
	Remove  bool    `msgpack:"rm"`
}

// WideChange sets Index.Wide without touching the rest of the index record. An index that
// does not exist refuses it.
type WideChange struct {
	IndexID uint32 `msgpack:"i"`
	Wide    bool   `msgpack:"w"`
}

// WideSince is the Version that brought Index.Wide, Change.PutWide and Node.Disk.
const WideSince = 13

// DrainingChange sets Node.Draining without touching the rest of the node. A node that is not
// in the catalogue refuses it.
type DrainingChange struct {
	Node     NodeID `msgpack:"n"`
	Draining bool   `msgpack:"d"`
}

// DrainingSince is the Version that brought Change.PutDraining and Change.KeepDraining.
const DrainingSince = 19

// CancelTasks marks tasks as canceled by the task By.
type CancelTasks struct {
	UIDs []uint32 `msgpack:"u"`
	By   uint32   `msgpack:"b"`
}

// DeleteTasks removes finished tasks (and batches left without tasks).
type DeleteTasks struct {
	UIDs []uint32 `msgpack:"u"`
	// Bitmap is another way to list tasks: a portable roaring bitmap, for sets that would be
	// too long as a list.
	Bitmap []byte `msgpack:"b"`
}

// Unchanged lists the parts of an index record that a change leaves as in the catalogue, so
// that a batch on an index with many fields or long settings need not send them through the
// log.
type Unchanged struct {
	// Version is that of the record which the change is based on. Another version makes the
	// change be refused.
	Version uint64 `msgpack:"v"`
	// Settings: the settings stay.
	Settings bool `msgpack:"s"`
	// Fields is the number of names that stay. The names of the change follow them.
	Fields int `msgpack:"f"`
}

// UnchangedSince is the Version that brought Unchanged.
const UnchangedSince = 2

// keptFrom is the least size at which omitting a part pays, in bytes.
const keptFrom = 1 << 10

// PutIndexOver returns the change from a published record of an index to the next one. It does
// not keep either. All nodes must know UnchangedSince.
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

// Index returns the record that replaces old, which is nil for a new index. ok is false when
// the change is based on another record.
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
