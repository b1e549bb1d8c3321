package httpfront

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"shoal/api"
)

// serveOpenAPI answers with the description of the API in the OpenAPI form. It
// is made from the tables that serve requests, so it cannot drift from them.
func serveOpenAPI(x *exchange) error {
	described.once.Do(func() { described.text = openAPI() })
	return x.respond(http.StatusOK, append(x.body[:0], described.text...))
}

// described is the finished description, made on first use.
var described struct {
	once sync.Once
	text []byte
}

// members is a table of parameters or of body members.
type members interface {
	Names() []string
	RequiredNames() []string
}

// describedQueries and describedBodies are the tables by "METHOD pattern".
var describedQueries = map[string]members{
	"GET /indexes":                                        indexListParameters,
	"GET /stats":                                          statsParameters,
	"GET /indexes/{index_uid}/stats":                      statsParameters,
	"GET /indexes/{index_uid}/search":                     searchParameters,
	"GET /indexes/{index_uid}/similar":                    similarParameters,
	"GET /indexes/{index_uid}/documents":                  documentsParameters,
	"POST /indexes/{index_uid}/documents":                 uploadParameters,
	"PUT /indexes/{index_uid}/documents":                  uploadParameters,
	"DELETE /indexes/{index_uid}/documents":               metadataParameters,
	"POST /indexes/{index_uid}/documents/delete":          metadataParameters,
	"POST /indexes/{index_uid}/documents/delete-batch":    metadataParameters,
	"POST /indexes/{index_uid}/documents/edit":            metadataParameters,
	"GET /indexes/{index_uid}/documents/{document_id}":    documentParameters,
	"DELETE /indexes/{index_uid}/documents/{document_id}": metadataParameters,
	"GET /tasks":         listParameters,
	"DELETE /tasks":      selectParameters,
	"POST /tasks/cancel": selectParameters,
	"GET /batches":       listParameters,
	"GET /keys":          keyListParameters,
	"GET /chats":         chatListParameters,

	"DELETE /dynamic-search-rules":       metadataParameters,
	"PATCH /dynamic-search-rules/{uid}":  metadataParameters,
	"DELETE /dynamic-search-rules/{uid}": metadataParameters,
}

var describedBodies = map[string]members{
	"POST /indexes":                              indexCreationFields,
	"PATCH /indexes/{index_uid}":                 indexChangeFields,
	"POST /indexes/{index_uid}/fields":           fieldsFields,
	"POST /indexes/{index_uid}/search":           searchFields,
	"POST /indexes/{index_uid}/facet-search":     facetSearchFields,
	"POST /indexes/{index_uid}/similar":          similarFields,
	"POST /indexes/{index_uid}/documents/fetch":  documentsFields,
	"POST /indexes/{index_uid}/documents/delete": deleteByFilterFields,
	"POST /indexes/{index_uid}/documents/edit":   editionFields,
	"POST /multi-search":                         multiSearchFields,
	"POST /keys":                                 newKeyFields,
	"PATCH /keys/{key}":                          keyPatchFields,
	"POST /export":                               exportFields,
	"PATCH /chats/{workspace}/settings":          api.ChatSettingsFields,
	"PATCH /experimental-features":               featureFields,
	"PATCH /network":                             networkFields,
	"POST /render-template":                      api.RenderFields,
	"POST /dynamic-search-rules":                 api.SearchRuleQueryFields,
	"PATCH /dynamic-search-rules/{uid}":          api.SearchRuleFields,
}

func openAPI() []byte {
	bodies := map[string]api.Value{}
	for key, table := range describedBodies {
		bodies[key] = objectSchema(table)
	}
	describeSettings(bodies)
	doc := objectOf(
		named("openapi", textOf("3.1.0")),
		named("info", objectOf(named("title", textOf("Shoal")), named("version", textOf("1.50.0")),
			named("description", textOf("The Meilisearch 1.50 API, served by a cluster.")))),
		named("paths", describePaths(routes(), bodies)),
		named("components", objectOf(
			named("securitySchemes", objectOf(named("Bearer", objectOf(named("type", textOf("http")), named("scheme", textOf("bearer")))))),
			named("schemas", objectOf(named("Error", errorSchema()), named("TaskSummary", summarySchema()))))),
	)
	return doc.AppendJSON(nil)
}

func named(name string, v api.Value) api.Member { return api.Member{Name: name, Value: v} }

func objectOf(list ...api.Member) api.Value { return api.ObjectValue(list...) }

func textOf(s string) api.Value { return api.StringValue(s) }

func reference(name string) api.Value {
	return objectOf(named("$ref", textOf("#/components/schemas/"+name)))
}

func jsonContent(schema api.Value) api.Member {
	return named("content", objectOf(named("application/json", objectOf(named("schema", schema)))))
}

// describePaths groups the routes by path, in the order of the table.
func describePaths(table []route, bodies map[string]api.Value) api.Value {
	var paths []api.Member
	places := map[string]int{}
	for i := range table {
		r := &table[i]
		operation := named(strings.ToLower(r.method), describeRoute(r, bodies))
		if at, known := places[r.pattern]; known {
			paths[at].Value = objectOf(append(paths[at].Value.Members(), operation)...)
			continue
		}
		places[r.pattern] = len(paths)
		paths = append(paths, named(r.pattern, objectOf(operation)))
	}
	return objectOf(paths...)
}

func describeRoute(r *route, bodies map[string]api.Value) api.Value {
	list := []api.Member{named("operationId", textOf(operationID(r)))}
	if len(r.actions) > 0 {
		list = append(list, named("security", api.ArrayValue(objectOf(named("Bearer", api.ArrayOfStrings(r.actions))))))
	}
	var parameters []api.Value
	for _, segment := range strings.Split(r.pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			parameters = append(parameters, parameter(strings.TrimSuffix(name, "}"), "path", true))
		}
	}
	if table := describedQueries[r.name()]; table != nil {
		required := table.RequiredNames()
		for _, name := range table.Names() {
			parameters = append(parameters, parameter(name, "query", slices.Contains(required, name)))
		}
	}
	if parameters != nil {
		list = append(list, named("parameters", api.ArrayValue(parameters...)))
	}
	if schema, ok := bodies[r.name()]; ok {
		list = append(list, named("requestBody", objectOf(named("required", api.BoolValue(true)), jsonContent(schema))))
	}
	failure := named("default", objectOf(named("description", textOf("Refused or failed")), jsonContent(reference("Error"))))
	return objectOf(append(list, named("responses", objectOf(success(r), failure)))...)
}

// success describes the answer of a route that did its work: writes through the
// task queue answer 202 with a summary.
func success(r *route) api.Member {
	if queued(r) {
		return named("202", objectOf(named("description", textOf("The task was enqueued")), jsonContent(reference("TaskSummary"))))
	}
	return named("200", objectOf(named("description", textOf("Success"))))
}

// queued tells the routes that enqueue a task.
func queued(r *route) bool {
	switch r.pattern {
	case "/dumps", "/snapshots", "/swap-indexes":
		return true
	case "/indexes":
		return r.method == http.MethodPost
	case "/indexes/{index_uid}":
		return r.method != http.MethodGet
	case "/indexes/{index_uid}/documents/fetch":
		return false
	}
	return r.method != http.MethodGet && (strings.HasPrefix(r.pattern, "/indexes/{index_uid}/documents") ||
		strings.HasPrefix(r.pattern, "/indexes/{index_uid}/settings") || strings.HasSuffix(r.pattern, "/compact") && r.onIndex)
}

func operationID(r *route) string {
	id := strings.ToLower(r.method)
	for _, segment := range strings.FieldsFunc(r.pattern, func(c rune) bool { return strings.ContainsRune("/{}", c) }) {
		id += "_" + strings.ReplaceAll(segment, "-", "_")
	}
	return id
}

func parameter(name, in string, required bool) api.Value {
	return objectOf(named("name", textOf(name)), named("in", textOf(in)), named("required", api.BoolValue(required)),
		named("schema", objectOf(named("type", textOf("string")))))
}

// objectSchema lists the members of a table; their types are left open.
func objectSchema(table members) api.Value {
	var properties []api.Member
	for _, name := range table.Names() {
		properties = append(properties, named(name, objectOf()))
	}
	list := []api.Member{named("type", textOf("object")), named("properties", objectOf(properties...)), named("additionalProperties", api.BoolValue(false))}
	if required := table.RequiredNames(); required != nil {
		list = append(list, named("required", api.ArrayOfStrings(required)))
	}
	return objectOf(list...)
}

// describeSettings adds the bodies of the settings routes: types and defaults
// are those of a fresh index.
func describeSettings(bodies map[string]api.Value) {
	const all = "/indexes/{index_uid}/settings"
	var properties []api.Member
	fresh := api.DefaultSettings()
	for _, s := range api.SettingsTable() {
		schema := objectOf()
		if shown, err := api.ParseJSON(s.AppendPublic(nil, fresh)); err == nil && !shown.IsNull() {
			schema = objectOf(named("type", api.ArrayOfStrings([]string{schemaType(shown.Kind()), "null"})), named("default", shown))
		}
		properties = append(properties, named(s.Name, schema))
		bodies[s.Verb+" "+all+"/"+s.Path] = schema
	}
	bodies["PATCH "+all] = objectOf(named("type", textOf("object")), named("properties", objectOf(properties...)), named("additionalProperties", api.BoolValue(false)))
}

func schemaType(k api.Kind) string {
	switch k {
	case api.KindBool:
		return "boolean"
	case api.KindPositive, api.KindNegative:
		return "integer"
	case api.KindFloat:
		return "number"
	case api.KindArray:
		return "array"
	case api.KindObject:
		return "object"
	}
	return "string"
}

// errorSchema lists every code with its status and type.
func errorSchema() api.Value {
	var lines []string
	for _, name := range api.CodeNames() {
		code, _ := api.CodeByName(name)
		lines = append(lines, name+" ("+strconv.Itoa(code.Status)+", "+code.Type+")")
	}
	member := func(name string, more ...api.Member) api.Member {
		return named(name, objectOf(append([]api.Member{named("type", textOf("string"))}, more...)...))
	}
	return objectOf(named("type", textOf("object")), named("properties", objectOf(
		member("message"),
		member("code", named("enum", api.ArrayOfStrings(api.CodeNames())), named("description", textOf(strings.Join(lines, "; ")))),
		member("type", named("enum", api.ArrayOfStrings([]string{"invalid_request", "internal", "auth", "system"}))),
		member("link"))))
}

func summarySchema() api.Value {
	plain := func(kind string) api.Value { return objectOf(named("type", textOf(kind))) }
	return objectOf(named("type", textOf("object")), named("properties", objectOf(
		named("taskUid", plain("integer")), named("indexUid", objectOf(named("type", api.ArrayOfStrings([]string{"string", "null"})))),
		named("status", plain("string")), named("type", plain("string")), named("enqueuedAt", plain("string")), named("customMetadata", plain("string")))))
}
