// Package storage opens the repository of backups at the place that the command line names.
//
// In: Options. Out: the repository for snapshots, the snapshot that --import-snapshot names
// (Find), and the answers of the command snapshots (List).
package storage
