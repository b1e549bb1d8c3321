// Package pending keeps deltas durable on a node until their batch is committed, and
// for a while after their install for replicas that missed them.
//
// In: the head of a delta, and its ops or the files that a build or a shipment left in
// the staging folder. Out: the same after a restart. Package shard decides which deltas
// are kept, installed and dropped.
package pending
