// Package machine is what a node runs on: the network, the clock, the disk and the stream
// of its log, passed in as one value.
//
// In: nothing. Out: Real, the machine of this process. cluster-test/sim makes another one,
// whose network and disk are in memory and fail on demand. Resources that only a real
// process has (clients' certificates, dumps, snapshots in a folder) are not part of it.
package machine
