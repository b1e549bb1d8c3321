// Package api is the public contract: requests and answers of every route. Its rooms
// hold what these are made of: jsonvalue, apierr, decode and settings, from the lowest
// floor up; payload reads uploads.
//
// A decoded request goes from httpfront to the coordinator, an answer comes back and
// leaves through the AppendJSON of its type. What is here is frozen by compatibility
// with the Meilisearch HTTP API v1.50: names, key orders and texts may not drift.
//
// The package imports its rooms only, starts no goroutines and keeps no state.
package api
