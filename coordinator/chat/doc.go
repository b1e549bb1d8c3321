// Package chat holds conversations: a client's chat completion goes in, with what
// it may see of the engine (api.ChatDesk); events for the client come out, as the
// API that everybody speaks has them (spec search-api 16).
//
// # Way through
//
// [Completions.Begin] checks the request against its workspace and returns a
// [Conversation]; [Conversation.Run] asks the language model of the workspace, with
// a function to search with, reads what it streams, runs the searches that it asks
// for, gives it what they found, and asks again, until it answers.
//
// # Bounds
//
// A conversation has a number of rounds, of searches per round, of bytes per round
// and per text of a search, and an end in time; a model that is silent for long is
// given up (see [Limits]). What goes wrong after the stream has begun is told in it.
//
// The package starts no goroutine that outlives Run.
package chat
