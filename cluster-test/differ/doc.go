// Command differ sends one random life to two servers that speak the API and
// prints the first difference, with the shortest sequence of requests that shows
// it: `go run ./cluster-test/differ -seed 7 -steps 5000 ADDRESS ADDRESS`, each
// HOST:PORT or KEY@HOST:PORT. Without addresses (`make differ`) it starts two clusters
// of ours of different topology; whoever has the reference points it there.
//
// The servers should be empty and nobody else's: their indexes and the keys that
// the life makes are deleted, again and again while a sequence is shortened. Both
// must have had the same number of tasks.
//
// Package life makes most requests; oddity adds documents of every JSON shape, keys and
// dumps. purpose knows what is ours on purpose. server.go speaks to a server, duel.go
// compares, hunt.go goes on after a difference, shrink.go leaves out what one does not need.
package main
