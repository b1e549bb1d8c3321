// Package same keeps values once that are made of the same things by many: what the settings
// of an index mean is the same for thousands of indexes, and each value less is one less that
// the garbage collector looks at, on nodes that nobody asks too.
//
// In: what a value is made of, and how. Out: the value that somebody holds already, or a new
// one. Imports nothing.
package same
