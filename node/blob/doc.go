// Package blob keeps staged payloads on disk, named by the hash of their
// content, until the tasks that carry them are finished.
//
// Store is one node's folder; Cluster stages a payload on as many nodes as may
// not all fail at once and finds it again on any of them. A blob enters at
// Cluster.Stage before its task is proposed and leaves at Sweep, once no
// unfinished task names it (architecture 5.10).
package blob
