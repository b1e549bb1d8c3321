// Package folder is the data folder of a node. It holds the lock, the format, the identity
// of the node, its cluster and what it remembers of joining that, the secret that the node
// makes for itself, the mark of an unfinished import, and a check of free disk space.
//
// In: a path. Out: a locked Folder, and messages that say what an operator can do. The
// subfolders of the log, the shards and the payloads belong to other packages.
package folder
