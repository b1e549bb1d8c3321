// Package storage joins what the command line says about the place of backups with
// the repository that lies there.
//
// In come Options; out go the repository that snapshots go to, the snapshot that
// --import-snapshot names (Find), and the answers of the command snapshots (List).
package storage
