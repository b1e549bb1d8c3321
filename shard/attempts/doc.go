// Package attempts notes on disk which builds are under way, so that the next process of
// a node knows which one ended the process before it.
//
// In come builds as they begin and end, out goes wire.ErrDied for one that this node has
// not survived more often than the caller knows. It imports wire only and takes a file
// system; only package shard imports it.
package attempts
