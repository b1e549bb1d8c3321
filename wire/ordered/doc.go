// Package ordered keeps the files of a pebble store in order when the power fails.
//
// A store tells by a file whose name begins with "marker." which of its manifests counts. Pebble
// makes the new marker, removes the old one, and then syncs the folder. If the power fails
// between, a file system that stores names in any order may keep the marker and lose its
// manifest, or lose both markers.
package ordered
