// Package script runs the functions that edit documents (spec write-api 11): programs in a
// subset of the Rhai language, interpreted over a syntax tree.
//
// Compile reads source; its errors have the words and places of Rhai's. A Program runs on
// one document after the other: the document is the variable `doc`, the request's context
// the constant `context`, and the final value of `doc` is the outcome. Editor offers both
// to the builders of shards.
//
// Packages below: value holds what programs compute with, syntax turns the source into a
// tree. This package is the machine that runs a tree, and the built-in functions.
//
// # Language
//
// let and const, blocks, if, switch, while, do, loop, for, functions, closures
// with captured variables, try/catch/throw, strings with escapes and `${...}`,
// characters, arrays, object maps, ranges, the operators of Rhai, most methods and
// properties of its standard packages, integers as bits, iterators.
// Left out: modules, eval, blobs, timestamps, custom types.
//
// # Vocabulary
//
//   - value: the result of an expression. Arrays and maps are copied when one of several
//     owners modifies them, so sharing never shows.
//   - place: where a value can be modified: a variable, an element, a property.
//   - machine: the state of one run.
//   - leave: a return, break or continue that unwinds, carried as an error.
//
// A run is deterministic: no clock, no randomness, maps in key order. It is
// bounded by steps, call depth and allocated memory (Limits); time is bounded
// through these, because a clock would let two replicas disagree. The package
// starts no goroutines; a Program is safe for concurrent use.
package script
