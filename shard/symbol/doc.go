// Package symbol numbers names. Words and facet values recur constantly, and their
// number finds related data without a look-up by bytes.
//
// Builds and columns use it where a Go map would need a string per name and several
// memory reads per look-up. No goroutines; a Table belongs to one.
package symbol
