// Package coordtest holds the fakes that tests of the coordinator share: a log
// that applies what is proposed (Log, MetaLog), shards that build and list
// documents in memory (Shards, ListShards), and a store of payloads (Blobs).
//
// In: what a test puts into their fields. Out: the ports of package coordinator.
// May import coordinator, wire, query and api, so that every room can use it in
// tests of its own. Only tests import it.
package coordtest
