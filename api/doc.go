// Package api is the public contract: the requests and answers of every route. Its
// subpackages, lowest first, are jsonvalue, apierr, decode and settings; payload reads
// uploads.
//
// A decoded request goes from httpfront to the coordinator. The answer comes back and is
// encoded by the AppendJSON of its type. Everything here is frozen by compatibility with
// the Meilisearch HTTP API v1.50: names, orders of keys and texts must not drift.
//
// The package imports its subpackages only, starts no goroutines and keeps no state.
package api
