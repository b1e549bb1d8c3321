// Package attempts notes on disk which builds are running, so that the next process of
// a node knows which one killed the process before it.
//
// In: builds as they begin and end. Out: wire.ErrDied for a batch that killed more
// processes of this node than the caller knows of. It imports only wire and takes a
// file system. Only package shard imports it.
package attempts
