// Package rerank reorders the hits of a page by the judgement of an external server that
// gets a description of the user (the member `personalize` of a search, spec search-api 4).
//
// In: rendered hits. Out: the same hits in another order. The server speaks the rerank API
// of Cohere: it gets a query, documents as texts, and a model, and answers with the places
// of the documents, the best first. As in package embed, the caller injects the function
// that sends requests.
package rerank
