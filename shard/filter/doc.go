// Package filter evaluates a parsed filter on one state of a shard.
//
// Evaluator is called with the JSON of a filter (a search, a listing, a deletion)
// and returns the ordinals that pass. It sees the shard through Index, a small
// interface of facet tables and value records that a View implements.
//
// Conditions are sets: a look-up for equality, a union of a value range for
// comparisons, complements for negations. Inside an AND each condition knows
// what is left (within): once few documents are left, ranges and text tests read
// the value records of those instead of walking the tables, and nothing is read
// when nothing is left. Errors that depend on evaluation (an operator that a rule
// does not allow, bad coordinates) surface only when their condition is reached,
// as spec search-api 7.6 demands.
//
// What stands in braces is evaluated for objects of arrays, place by place (package
// element). If ranges are asked for and few documents meet the conditions at all, the
// objects of these are made from their texts.
//
// Evaluation ends soon after its context does: whoever asked may have left.
//
// Evaluation holds no state and starts no goroutine; it is as concurrent as the
// Index is.
package filter
