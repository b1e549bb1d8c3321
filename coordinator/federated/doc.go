// Package federated answers several searches as one, over indexes and over other
// instances.
//
// In: federated and multi-search requests, and searches that ask for the network
// (NetworkSearch). Each query is planned and ranked by package search, or sent to
// its instance over HTTP (remote.go); package merge joins the lists. Out: one
// answer, with the errors of instances beside it. The network comes in as a
// function. Goroutines end before the call does. May import search, merge, driver
// and what lies below.
package federated
