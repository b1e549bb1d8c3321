// Package filter is the filter and sort languages: what they say, and which fields
// they may name; with facet requests, patterns of attributes and geometry.
//
// In: texts of clients, settings and names of fields. A filter enters at
// ParseFilter and is checked against the settings by CheckFilterable; a sort list
// enters at ParseSort. Out: a tree that shards evaluate (shard/filter), sort
// criteria, and errors with the exact texts of the public interface; the caller
// adds the code of its route. The facet form of a string is its normalised spelling
// in filters, sorts and facets (spec ranking 1.11).
//
// Pure functions; what they return is immutable and safe for concurrent use. May
// import text and api only.
package filter
