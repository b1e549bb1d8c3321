// Package wire is the private contract between our processes: the commands of
// the Raft log, the catalogue they produce, and the messages that nodes exchange
// to build, ship, publish, search and copy shards.
//
// Every type is a plain struct encoded by Marshal (package codec: MessagePack, fields as
// a map by short stable names, see docs/adr/0001). Rules: fields are only ever added,
// never renamed or retyped; no Go map in any type, so that equal values have
// equal bytes; times are UnixNano int64; uids are uint32 unless said otherwise.
// No syntax tree crosses the network: requests carry text and the pinned plan.
//
// wire imports api, query and its codec only. Values are immutable once published.
package wire
