package wire

import (
	"encoding/json"

	"shoal/api/settings"
	"shoal/text"
	"shoal/text/dictionary"
)

// Slots is the fixed number of hash slots of every index (architecture 6).
const Slots = 1 << 16

// ReplicaState tells whether a replica may be read.
type ReplicaState uint8

// Replica states. Only InSync replicas are read and built on.
const (
	Copying ReplicaState = iota // fetches a checkpoint or missed deltas
	InSync                      // holds every published version
	// CaughtUp: holds every version that was published when it reported this, and gets every
	// later delta; not read yet. It becomes InSync once no older batch can still commit without
	// it (coordinator/replica/follower.go).
	CaughtUp
)

// Replica is one copy of one shard. Incarnation is the uuid of the data folder's store: a wiped
// disk under the same node id is another replica.
type Replica struct {
	Node        NodeID       `msgpack:"n"`
	Incarnation string       `msgpack:"i"`
	State       ReplicaState `msgpack:"s"`
}

// Delta identifies the change that led to one version of a shard.
type Delta struct {
	Version uint64 `msgpack:"v"`
	ID      string `msgpack:"id"`
}

// Shard is a range of hash slots [SlotLo, SlotHi) of one index. Shard numbers
// are never reused inside an index.
type Shard struct {
	Number   uint16    `msgpack:"num"`
	SlotLo   uint32    `msgpack:"lo"`
	SlotHi   uint32    `msgpack:"hi"`
	Replicas []Replica `msgpack:"r"`
	Deltas   []Delta   `msgpack:"d"` // the newest 64, oldest first
}

// Generations are the numbers of the current table groups. A settings change that rewrites a
// group builds the next number, and Commit switches to it.
type Generations struct {
	Text   uint16 `msgpack:"t"`
	Facet  uint16 `msgpack:"f"`
	Vector uint16 `msgpack:"v"`
	// TextFormat is the text.Format of the text tables.
	TextFormat uint16 `msgpack:"tf"`
}

// Dictionaries returns the dictionaries with which the index segments texts.
func (g Generations) Dictionaries() dictionary.Set { return text.Dictionaries(g.TextFormat) }

// FieldCount is the number of documents that have a field.
type FieldCount struct {
	Field string `msgpack:"f"`
	Count uint64 `msgpack:"c"`
}

// ShardStats are the statistics of one shard at the published version. They are part of the
// catalogue, so that every node answers /stats alike.
type ShardStats struct {
	Documents         uint64       `msgpack:"d"`
	RawBytes          uint64       `msgpack:"b"` // bytes of stored documents
	Embeddings        uint64       `msgpack:"e"`
	EmbeddedDocuments uint64       `msgpack:"ed"`
	Fields            []FieldCount `msgpack:"f"` // by field name
	// Rows: the shard numbers its documents without gaps.
	Rows bool `msgpack:"rw"`
}

// Index is the catalogue record of one index. It is immutable and replaced as a whole. ID never
// changes and is never reused. UID is the public name and may change by rename or swap.
type Index struct {
	ID          uint32      `msgpack:"id"`
	UID         string      `msgpack:"uid"`
	CreatedAt   int64       `msgpack:"ca"`
	UpdatedAt   int64       `msgpack:"ua"`
	PrimaryKey  *string     `msgpack:"pk"`
	Version     uint64      `msgpack:"v"` // published version, 0 = empty
	Generations Generations `msgpack:"g"`
	// Settings is the JSON of settings.Settings, SettingsVersion the version of its last
	// change.
	Settings        []byte `msgpack:"set"`
	SettingsVersion uint64 `msgpack:"sv"`
	// Fields maps field ids (positions) to names, in first-seen order (spec write-api 19.4).
	// Append-only.
	Fields []string     `msgpack:"fl"`
	Shards []Shard      `msgpack:"sh"`
	Stats  []ShardStats `msgpack:"st"` // parallel to Shards
	// ReplicaGoal is the wanted number of replicas per shard; 0 means the cluster's default.
	ReplicaGoal int `msgpack:"rg"`
	// Wide marks an index that is small beside the disks of the nodes. While its ReplicaGoal is
	// 0 it gets a copy on every data node, up to a limit. Only Change.PutWide changes it once
	// the index exists. All nodes must know WideSince.
	Wide bool `msgpack:"w"`
	// ShardGoal is the wanted number of shards during a change; 0 means the present number.
	ShardGoal int `msgpack:"sg"`
	// Next are the new shards during a change of the shard count. They are not read yet.
	Next []Shard `msgpack:"nx"`

	decoded settingsCache
}

// Key is an API key.
type Key struct {
	UID         string   `msgpack:"uid"`
	Name        *string  `msgpack:"name"`
	Description *string  `msgpack:"desc"`
	Actions     []string `msgpack:"act"`
	Indexes     []string `msgpack:"idx"`
	ExpiresAt   *int64   `msgpack:"exp"`
	// ExpiresShown is the date as clients see it, with their offset.
	ExpiresShown string `msgpack:"exps"`
	CreatedAt    int64  `msgpack:"ca"`
	UpdatedAt    int64  `msgpack:"ua"`
}

// ValueCluster names the value with the cluster's id, a JSON string. The first leader writes it
// once.
const ValueCluster = "cluster"

// Value is one small cluster-wide document under a fixed name: "features", "network",
// "webhooks", "instance" ... Its JSON belongs to the package that defines the name.
type Value struct {
	Name string          `msgpack:"n"`
	JSON json.RawMessage `msgpack:"j"`
}

// DecodedSettings returns the effective settings. They are decoded once and shared: do not
// modify. Safe for concurrent use.
func (x *Index) DecodedSettings() *settings.Settings { return x.decoded.get(x.Settings) }

// Clone returns a copy that may be changed before it is published. Slices of shards, replicas,
// deltas, fields and stats are copied; immutable byte slices are shared.
func (x *Index) Clone() *Index {
	c := &Index{
		ID: x.ID, UID: x.UID, CreatedAt: x.CreatedAt, UpdatedAt: x.UpdatedAt,
		PrimaryKey: x.PrimaryKey, Version: x.Version, Generations: x.Generations,
		Settings: x.Settings, SettingsVersion: x.SettingsVersion,
		Fields:      append([]string(nil), x.Fields...),
		Shards:      append([]Shard(nil), x.Shards...),
		Stats:       append([]ShardStats(nil), x.Stats...),
		ReplicaGoal: x.ReplicaGoal, ShardGoal: x.ShardGoal, Wide: x.Wide,
	}
	c.Next = append([]Shard(nil), x.Next...)
	for _, list := range [][]Shard{c.Shards, c.Next} {
		for i := range list {
			s := &list[i]
			s.Replicas = append([]Replica(nil), s.Replicas...)
			s.Deltas = append([]Delta(nil), s.Deltas...)
		}
	}
	return c
}
