// Package auth decides what the caller of a request may do.
//
// In: the head of a request and the needs of its route. Out: the caller's Rights or the
// refusal. A token is the master key, the value of an API key, or a tenant token: a signed
// token derived from a key, with rules for the indexes that may be searched. Comparisons
// take constant time.
//
// The package imports api only. It starts no goroutines and caches nothing but the values
// of existing keys.
package auth
