// Package rule is the ranking rules as costs: which rules a search has (NewRules),
// what a step through the graph of a query costs by each, and how a matching
// strategy removes words.
//
// In: settings, the graph of a query (package query) and what the index knows about
// its words. Out: rules, costs and ranks, the same for the search driver, which
// decides, and for shards, which count. Pure functions, safe for concurrent use.
// May import query and what lies below.
package rule
