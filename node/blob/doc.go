// Package blob keeps staged payloads on disk, named by the hash of their content, until the
// tasks that carry them are finished.
//
// Store is one node's folder. Cluster stages a payload on enough nodes that one survives
// the failures a cluster must survive, and finds it again on any of them. A blob enters at
// Cluster.Stage before its task is proposed and leaves at Sweep, once no unfinished task
// names it (architecture 5.10).
package blob
