// Package search answers the routes that search: one index, several, facet values, similar
// documents, and conversations with language models.
//
// The body or query string of an exchange becomes a request of package api. The ports
// Search, Chats and Completions answer it, and the answer is encoded. routing has already
// decided which indexes the caller may see; the rules of a tenant token are joined with the
// filter here. Handlers decide nothing else.
//
// It imports routing, auth, openapi and api, and none of the other handlers.
package search
