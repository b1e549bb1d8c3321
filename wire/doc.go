// Package wire is the private contract between our processes: the commands of the Raft log, the
// catalogue that they produce, and the messages with which nodes build, ship, publish, search
// and copy shards.
//
// Every type is a plain struct encoded by Marshal (package codec: MessagePack, fields as a map
// by short stable names, see docs/adr/0001). Rules: fields may be added, but never renamed or
// retyped. No type contains a Go map, so that equal values have equal bytes. Times are UnixNano
// int64. Uids are uint32 unless stated otherwise. No syntax tree crosses the network: requests
// contain text and the pinned plan.
//
// wire imports only api, query and its codec. Values are immutable once published.
package wire
