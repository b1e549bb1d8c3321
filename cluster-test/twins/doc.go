// Command twins sends one random stream of requests to three clusters, of one
// node with one shard, one node with several and three nodes with several, and
// compares every answer byte by byte: shards, replicas and restarts must never
// show. `make twins` runs it; a short run is among the tests.
//
// A stream follows from its seed alone, never from an answer, so that a printed
// command repeats what was seen. Package life makes the requests, lab.go runs the
// clusters and compares.
package main
