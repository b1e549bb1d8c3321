// Package folder is the data folder of a node: its lock, its format, who the node is,
// which cluster it belongs to and what it remembers of the beginning of that, the secret
// it makes for itself, the mark of an import that has not ended, and room on its disk.
//
// In: a path. Out: a locked Folder, and messages that say what an operator can do. What
// is in the folders of the log, the shards and the payloads belongs to others.
package folder
