// Package rule is the ranking rules as costs: which rules a search has (NewRules),
// what a step through the graph of a query costs by each, and how a matching
// strategy removes words.
//
// In: settings, the graph of a query (package query) and what the index knows about its
// words. Out: rules, costs and ranks. The search driver, which decides, and the shards,
// which count, use the same ones. All functions are pure and safe for concurrent use. May
// import query and the packages below it.
package rule
