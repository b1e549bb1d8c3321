// Package backup moves whole clusters through files: by dumps (three nodes and
// four shards to one node and back to three nodes) and by snapshots (three nodes to
// three others and to one), and compares everything that a client can ask for
// before and after. Damaged files must change nothing.
//
// The tests start real processes; they are part of make test, and print what they
// compared with -v.
package backup
