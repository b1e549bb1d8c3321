// Package scrub reads the table files of a node again and again, so that damage on the
// disk is found while another copy can still mend it, and not when somebody needs what
// was there.
//
// In comes the list of table files (package store's); out goes a call for each file that
// is not what was written. What that means for the shards in it is decided by package
// shard.
package scrub
