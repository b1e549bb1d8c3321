// Package analytics counts what people search for on this node, what they do not find, and what
// they click: numbers by index and hour, and the most frequent queries, for 90 days in bounded
// space (docs/adr/0046).
//
// In: searches and events, and the files of the days before. Out: a file a day, and summaries,
// which add up over days and nodes. Nothing here identifies a person; texts of queries are
// counted only while the operator wants them.
//
// Terms: sketch (counters of the most frequent keys, with a bound for the error), day (what a
// node counted in one day, UTC), summary (what days or nodes add up to).
package analytics
