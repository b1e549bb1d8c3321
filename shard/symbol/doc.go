// Package symbol numbers names: words and facet values come again and again, and a
// number leads to what is kept of one without a look-up by its bytes.
//
// Builds and column making use it where a Go map would take a string for each name and
// several reads of memory for each look-up. No goroutines; a Table belongs to one.
package symbol
