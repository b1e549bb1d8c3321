// Package codec encodes plain structs as MessagePack and decodes them, in the form that our
// processes exchange and store (docs/adr/0001). Package wire calls it.
//
// A struct becomes a map with the names of its `msgpack` tags as keys, in the order of its
// members. Empty members are omitted, integers take as few bytes as possible, and maps are
// sorted by key, so that equal values give equal bytes.
//
// Reflection examines each type once and builds a plan: a list of members, each with the
// functions that write and read it, and the bytes that tell whether it is empty. The functions
// work on memory addresses, because the checks of reflect.Value cost more than the work itself.
// Allocations use reflection, which knows the types' pointers.
//
// Terms: plan (what is known of one type), place (the address of a value), member (an encoded
// field of a struct), reader (bytes being decoded). codec imports none of our packages.
package codec
