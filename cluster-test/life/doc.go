// Package life makes random lives of indexes: one stream of requests from a seed,
// with documents, settings, searches, tasks and indexes that come and go. A stream
// never depends on an answer, so that the same seed is the same life anywhere.
// Commands twins and differ send it to several servers and compare what they say.
package life
