// Package search answers the routes that search: one index, several, by facets, by
// similarity, and in conversations with language models.
//
// An exchange comes in, its body or query string becomes a request of package api,
// the ports Search, Chats and Completions answer it, and the answer is encoded. Who
// may see which index has been decided by routing; the rules of a tenant token are
// joined with the filter here. Handlers decide nothing else.
//
// It imports routing, auth, openapi and api, and none of the other handlers.
package search
