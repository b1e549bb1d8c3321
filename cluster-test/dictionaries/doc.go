// Package dictionaries tests which nodes of a cluster need the dictionaries for Japanese
// and Korean, and what becomes of one that lacks what the others have.
package dictionaries
