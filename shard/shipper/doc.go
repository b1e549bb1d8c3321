// Package shipper brings deltas to the other holders of their shards at the pace of the
// fast ones (docs/adr/0009-a-slow-copy-is-left-behind.md).
//
// In comes who is to have a delta and a function that sends it, out goes who has it in
// time. It knows no store and no network, and imports wire only; only package shard
// imports it.
package shipper
