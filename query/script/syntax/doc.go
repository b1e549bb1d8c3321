// Package syntax reads the source of a script into a tree: tokens, expressions,
// statements, and the limits of a text.
//
// In: source (Parse). Out: a Tree of Nodes, or a *value.Error with the words and place of
// Rhai's. Imports value, for literals; it runs nothing.
//
// The parser is written by hand because clients see where a text is refused and with which
// words (spec write-api 11).
package syntax
