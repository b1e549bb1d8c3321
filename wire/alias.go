package wire

// Alias is a second name of an index. Immutable.
type Alias struct {
	Name string `msgpack:"n"`
	// Index is the uid of an index that exists. It follows renames; a swap leaves it alone.
	Index string `msgpack:"i"`
}

// AliasChange turns an alias to an index, or removes it. It is refused if Name is the uid of an
// index, if no index is called Index, and if From is set and the alias points elsewhere.
type AliasChange struct {
	Name string `msgpack:"n"`
	// Index is the uid to point to; "" removes the alias.
	Index string `msgpack:"i"`
	// From, when set, is the uid that the alias must point to now.
	From *string `msgpack:"f"`
}

// AliasesSince is the Version that brought Change.PutAlias and Enqueue.Aliases.
const AliasesSince = 15
