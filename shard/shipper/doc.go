// Package shipper sends deltas to the other holders of their shards at the pace of the
// fast ones (docs/adr/0009-a-slow-copy-is-left-behind.md).
//
// In: the nodes that need a delta and a function that sends it. Out: the nodes that
// have it in time. It knows no store and no network, and imports only wire. Only
// package shard imports it.
package shipper
