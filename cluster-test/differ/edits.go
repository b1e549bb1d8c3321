package main

import (
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelSortedMembers levels an edit by a function that fails in the reference alone, because
// the edit sorts the members of a document and with them the text of its template. The document
// that the message names must have vectors that were given and are to be made again.
func levelSortedMembers(e *evidence, ours, theirs *parsed) {
	if !strings.HasSuffix(e.request.Path, "/documents/edit") || len(ours.parts) != 2 || len(theirs.parts) != 2 {
		return
	}
	a, b := &ours.parts[1], &theirs.parts[1]
	failure := b.Get("error")
	if failure == nil || stringAt(b, "status") != "failed" || stringAt(a, "status") != "succeeded" {
		return
	}
	named := missingVectors.FindStringSubmatch(stringAt(failure, "message"))
	if named == nil || !e.givenAgain(e.renamed(indexOf(e.request.Path)), named[1], named[2]) {
		return
	}
	levelMembers(a, b, "status", "error", "details")
}

// givenAgain tells whether a document of the reference has vectors for an embedder without a
// model that are to be made again.
func (e *evidence) givenAgain(index, embedder, id string) bool {
	_, settings, ok := e.ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/embedders"})
	if !ok {
		return false
	}
	if of := settings.parts[0].Get(embedder); of == nil || stringAt(of, "source") != "userProvided" {
		return false
	}
	_, document, ok := e.ask(&life.Request{Method: "POST", Path: "/indexes/" + index + "/documents/fetch", Body: rawBody(map[string]any{"ids": []string{id}, "fields": []string{"_vectors"}, "retrieveVectors": true})})
	if !ok {
		return false
	}
	found := document.parts[0].Get("results")
	if found == nil || found.Len() != 1 {
		return false
	}
	vectors := found.Members()[0].Value.Get("_vectors")
	if vectors == nil || vectors.Kind() != jsonvalue.KindObject || vectors.Get(embedder) == nil {
		return false
	}
	again := vectors.Get(embedder).Get("regenerate")
	return again != nil && again.Bool()
}
