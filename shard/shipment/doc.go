// Package shipment is the form in which deltas and whole shards travel between nodes and
// into snapshots (docs/formats.md).
//
// In: heads, ops, and files of the staging folder. Out: a stream with sums, and what it
// says once the sums are right. Rekey gives a copy to another index. It decides nothing
// about what it carries.
package shipment
