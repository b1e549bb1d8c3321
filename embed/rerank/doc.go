// Package rerank orders the hits of a page by what a server outside makes of them and of
// what is known of the user (the member `personalize` of a search, spec search-api 4).
//
// In come hits, rendered; out go the same hits in another order. The server speaks the
// rerank API of Cohere: a query, documents as texts, and a model; it answers with the
// places of the documents, the best first. What goes over the network is the caller's,
// as in package embed.
package rerank
