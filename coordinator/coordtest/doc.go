// Package coordtest holds the fakes that tests of the coordinator share: a log that applies
// proposals (Log, MetaLog), shards that build and list documents in memory (Shards,
// ListShards), and a store of payloads (Blobs).
//
//	It takes its content from fields that tests set, and implements the ports of package
//
// coordinator. It may import coordinator, wire, query and api, so that every package below
// coordinator can use it in tests. Only tests import it.
package coordtest
