// Package machine is what a node stands on: the network, the clock, the disk and the
// stream of its log, handed in as one value.
//
// In: nothing. Out: Real, the machine that the process runs on; cluster-test/sim makes
// another one, whose network and disk are in memory and fail on demand.
// What only one process has (clients' certificates, dumps, snapshots in a folder) is not
// part of it.
package machine
