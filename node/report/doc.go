// Package report is what nodes tell of themselves: their activity now and over the last
// day, slow requests, lines of the log, and an archive for a diagnosis.
//
// In: the parts of a node that know it (Config). Out: answers about this node to others,
// and about all nodes to clients (Reports). It changes nothing.
package report
