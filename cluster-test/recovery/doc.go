// Command recovery measures how long a cluster of three real processes is silent when
// something fails (make recovery). For each kind of failure, many times: writers and
// searchers work on the nodes that are left while the failure happens; the longest
// time between two of their successes is what a client has to wait. It prints a table
// with the median and the worst of each and puts everything right before the next
// round, so that the rounds do not depend on each other.
//
// It needs Linux and root: the network of the nodes is cut (package cables) and a disk
// is filled (a file system in memory).
package main
