// Command twins sends one random stream of requests to several clusters, of one
// node with one shard, one node with several and three nodes with several, and
// compares every answer byte by byte: shards, replicas, restarts and moves must never
// show. `make twins` runs it; a short run is among the tests. With -against an older
// program must answer alike, too.
//
// Columns must not show either: a block of documents gets them in the background once
// it has 512, so the one shard of the first cluster ranks by them when the small shards
// of the others still read records, and any of them may come and go between two requests.
//
// A stream follows from its seed alone, never from an answer, so that a printed
// command repeats what was seen. Package life makes the requests, lab.go runs the
// clusters and compares.
package main
