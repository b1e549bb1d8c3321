// Command scale measures what searches cost on clusters of several shapes (make scale):
// each has so many nodes and shards, with copies everywhere or so many. All hold the same
// documents and answer the same searches, the clusters one after the other in turns, so
// that the ratios hold on a machine whose speed changes.
//
// Two tables come out. The first has the CPU time of a search over all nodes, alone, and
// its latency, and what the nodes said to each other about it. The second has the throughput when clients ask all nodes at the same time,
// each node with the same share of the CPU: by a control group where they can be made
// (Linux, root), otherwise with one thread each, which the table says.
//
// With -against the same is done with an older program too, with -profiles the CPU time is
// shown by function. It fails when an answer differs between two shapes, not when one is slow.
package main
