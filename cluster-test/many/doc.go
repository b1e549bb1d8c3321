// Command many measures a cluster of very many small indexes (make many): how fast they
// are made, what memory each takes on each node, what the nodes do when nobody asks them
// anything, how long lists take, and how long a node that is started again needs until it
// answers a search.
//
// It prints a line for each figure, with what is wanted of it. With -profiles it leaves
// the heap of the first node, the CPU time of all nodes while indexes are made and while
// nothing happens, and what wakes them then. It fails when an answer is wrong, not when one is slow.
package main
