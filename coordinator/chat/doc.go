// Package chat runs chat completions (spec search-api 16). It takes a client's request and the
// client's access to the engine (api.ChatDesk). It returns events in the widespread format of
// OpenAI's API.
//
// # How it works
//
// [Completions.Begin] checks the request against its workspace and returns a [Conversation].
// [Conversation.Run] asks the workspace's language model, offering a search function. It reads
// the model's stream, runs the searches that the model calls, sends the results, and asks
// again, until the model answers.
//
// # Bounds
//
// [Limits] bounds the rounds of a conversation, the searches and bytes of a round, the text of
// a search result, the silence of the model, and the total time. Errors after the stream has
// begun are sent as events.
//
// The package starts no goroutine that outlives Run.
package chat
