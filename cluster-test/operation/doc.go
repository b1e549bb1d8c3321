// Package operation tests what people who run a cluster look at it with, on real
// processes: the archive of "shoal debug zip", traces, boards and alerts.
//
// It runs as go test and builds the program itself.
package operation
