// Package codec turns plain structs into MessagePack and back, the bytes that our
// processes exchange and keep (docs/adr/0001). What comes in and goes out are the
// calls of package wire.
//
// A struct is a map by the names of its `msgpack` tags, in the order of its members;
// empty members are left out, integers take as few bytes as they can, maps are in the
// order of their keys: equal values give equal bytes. What a type needs is found out
// once, by reflection, and kept as a plan: a list of members, each with the functions
// that write it and read it, and what to look at to see whether it is empty. They work on
// places in memory, not on reflect.Values, whose checks cost more than the work; what
// takes memory is made by reflection, which knows where its pointers are.
//
// Vocabulary: plan (all that is known of one type), place (where a value stands in memory),
// member (a field of a struct that travels), reader (bytes that are being decoded). codec
// imports nothing of ours.
package codec
