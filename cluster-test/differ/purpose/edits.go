package purpose

import (
	"regexp"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelOtherOrder levels an edit by a function, or a partial update, that fails in the reference
// alone, because it brings the members of a document into another order and with them the text of
// its template. The document that the message names must have vectors that were given and are to
// be made again, and what is searched in it must be as it was.
func levelOtherOrder(e *Evidence, ours, theirs *Parsed) {
	update := isUpload(e.Request) && e.Request.Method == "PUT"
	failure := failedAlone(theirs, ours)
	if !update && !strings.HasSuffix(e.Request.Path, "/documents/edit") || failure == nil {
		return
	}
	named := missingVectors.FindStringSubmatch(stringAt(failure, "message"))
	index := e.renamed(IndexOf(e.Request.Path))
	if named == nil || !e.givenAgain(index, named[1], named[2]) || !e.sameText(index, named[2]) {
		return
	}
	levelMembers(&ours.parts[1], &theirs.parts[1], "status", "error", "details")
}

// sameText tells whether a document of ours has the searchable members of that of the reference,
// which kept what was before, but for places and members of null.
func (e *Evidence) sameText(index, id string) bool {
	searchable, _, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/searchable-attributes"})
	if !ok {
		return false
	}
	ours, theirs, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/documents/" + id})
	return ok && slices.Equal(searchedMembers(&ours.parts[0], &searchable.parts[0]), searchedMembers(&theirs.parts[0], &searchable.parts[0]))
}

// searchedMembers are the members of a document of which an attribute is searched.
func searchedMembers(document, searchable *jsonvalue.Value) (list []string) {
	for i := range document.Members() {
		m := &document.Members()[i]
		if m.Value.IsNull() || m.Name == "_geo" || m.Name == "_geojson" || !slices.ContainsFunc(texts(searchable), func(attribute string) bool {
			attribute = strings.Trim(attribute, `"`) // that of a member's member is no field of a template
			return attribute == "*" || m.Name == attribute || strings.HasPrefix(m.Name, attribute+".")
		}) {
			continue
		}
		list = append(list, m.Name+": "+strings.Trim(m.Value.JSON(), `"`)) // an id may become a text
	}
	slices.Sort(list)
	return list
}

// givenAgain tells whether a document of the reference has vectors for an embedder without a
// model that are to be made again.
func (e *Evidence) givenAgain(index, embedder, id string) bool {
	_, settings, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/embedders"})
	if !ok {
		return false
	}
	if of := settings.parts[0].Get(embedder); of == nil || stringAt(of, "source") != "userProvided" {
		return false
	}
	_, document, ok := e.Ask(&life.Request{Method: "POST", Path: "/indexes/" + index + "/documents/fetch", Body: rawBody(map[string]any{"ids": []string{id}, "fields": []string{"_vectors"}, "retrieveVectors": true})})
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

// levelEditFault levels the errors of an edit that fails for several documents: the reference edits
// them on several threads, and tells of any.
func levelEditFault(e *Evidence, ours, theirs *Parsed) {
	if !strings.HasSuffix(e.Request.Path, "/documents/edit") || len(ours.parts) != 2 || len(theirs.parts) != 2 {
		return
	}
	a, b := &ours.parts[1], &theirs.parts[1]
	x, y := a.Get("error"), b.Get("error")
	if x != nil && y != nil && faultOfDocument.MatchString(stringAt(x, "message")) && faultOfDocument.MatchString(stringAt(y, "message")) {
		levelMembers(a, b, "error")
	}
}

// faultOfDocument is an error of an edit that depends on the document.
var faultOfDocument = regexp.MustCompile("Document edition runtime error encountered while running the function: |Document identifier `")

// levelSharedBatch levels an upload that failed on one server alone, for a document of another upload
// of its batch that lacks vectors.
func levelSharedBatch(e *Evidence, ours, theirs *Parsed) {
	failure := failedAlone(ours, theirs)
	if failure == nil {
		failure = failedAlone(theirs, ours)
	}
	if !isUpload(e.Request) || failure == nil {
		return
	}
	named := missingVectors.FindStringSubmatch(stringAt(failure, "message"))
	brings := func(r life.Request) bool { return r.Path == e.Request.Path && hasDocument(&r, named[2]) }
	if named != nil && !hasDocument(e.Request, named[2]) && slices.ContainsFunc(e.Batch, brings) {
		levelMembers(&ours.parts[1], &theirs.parts[1], "status", "error", "details")
	}
}

// levelNewField levels an upload that failed in ours alone for lack of vectors, though it brings none
// for a document whose vectors are to be made again: it also brings a field that is new to the index,
// which the reference did not see in time.
func levelNewField(e *Evidence, ours, theirs *Parsed) {
	index := IndexOf(e.Request.Path)
	failure := failedAlone(ours, theirs)
	if !isUpload(e.Request) || failure == nil {
		return
	}
	named := missingVectors.FindStringSubmatch(stringAt(failure, "message"))
	if named != nil && e.givenAgain(index, named[1], named[2]) && e.hasMoreFields(index) {
		levelMembers(&ours.parts[1], &theirs.parts[1], "status", "error", "details")
	}
}

// hasMoreFields tells whether the reference has a field that ours does not have.
func (e *Evidence) hasMoreFields(index string) bool {
	ours, theirs, ok := e.fieldsOf(index)
	return ok && slices.ContainsFunc(theirs, func(name string) bool { return !slices.Contains(ours, name) })
}

// hasDocument tells whether an upload of JSON has a document with an id.
func hasDocument(upload *life.Request, id string) bool {
	body, ok := bodyOf(upload)
	return ok && slices.ContainsFunc(body.Members(), func(m jsonvalue.Member) bool {
		of := m.Value.Get("id")
		return of != nil && strings.Trim(of.JSON(), `"`) == id
	})
}
