// Command demo shows a cluster at work: it starts three nodes, imports the
// recipes that ship with it into an index of three shards, asks each node one
// question and prints the answers, then keeps serving until Ctrl-C. `make demo`
// builds and runs it; -once ends it after the answers.
package main
