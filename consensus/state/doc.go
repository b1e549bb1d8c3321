// Package state is what the entries of the log produce: the catalogue, tasks and batches,
// as a pure function of the log, in one pebble store with its snapshots.
//
// In: entries in log order (Machine.ApplyAll), and archives of another node's store. Out:
// the catalogue after each entry (Catalog, immutable), pages of tasks and batches,
// archives. Nothing here reads a clock, a random number or the order of a map, so every
// node holds the same bytes. It knows neither Raft nor other nodes. May import entry and
// wire only.
package state
