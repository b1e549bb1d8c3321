// Package scrub periodically reads the table files of a node. It finds damage on the
// disk while another copy can still repair it, before somebody needs the lost data.
//
// In: the list of table files (package store). Out: a call for each damaged file.
// Package shard decides what that means for the shards in it.
package scrub
