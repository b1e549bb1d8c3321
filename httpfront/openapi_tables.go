package httpfront

import (
	"time"

	"shoal/api"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// members is a table of parameters or of body members.
type members interface {
	Describe() []decode.Described
	DescribeQuery() []decode.Described
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
	"GET /tasks":                   listParameters,
	"DELETE /tasks":                selectParameters,
	"POST /tasks/cancel":           selectParameters,
	"GET /batches":                 listParameters,
	"GET /keys":                    keyListParameters,
	"GET /chats":                   chatListParameters,
	"DELETE /cluster/nodes/{node}": removalParameters,

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
	"POST /keys":                                 newKeyFields(time.Now),
	"PATCH /keys/{key}":                          keyPatchFields,
	"POST /export":                               exportFields,
	"PATCH /chats/{workspace}/settings":          api.ChatSettingsFields,
	"POST /webhooks":                             webhookFields,
	"PATCH /webhooks/{uuid}":                     webhookFields,
	"POST /logs/stream":                          logStreamFields,
	"POST /logs/stderr":                          logTargetFields,
	"PATCH /cluster/indexes/{index_uid}":         placementMembers,
	"POST /cluster/explain":                      explainMembers,
	"PATCH /experimental-features":               featureFields,
	"PATCH /network":                             networkFields,
	"POST /render-template":                      api.RenderFields,
	"POST /dynamic-search-rules":                 api.SearchRuleQueryFields,
	"PATCH /dynamic-search-rules/{uid}":          api.SearchRuleFields,
}

// documentUploads are the routes whose body may have any of the document formats.
var documentUploads = map[string]bool{"POST /indexes/{index_uid}/documents": true, "PUT /indexes/{index_uid}/documents": true}

// bodiless are the routes that take no body although their method has one.
var bodiless = map[string]bool{
	"POST /dumps": true, "POST /snapshots": true, "POST /tasks/cancel": true, "POST /tasks/compact": true,
	"POST /indexes/{index_uid}/compact": true, "POST /cluster/nodes/{node}/drain": true,
}

// answers are the statuses of success other than 200 and, for what goes through
// the task queue, 202.
var answers = map[string]int{
	"POST /keys": 201, "POST /webhooks": 201,
	"DELETE /keys/{key}": 204, "DELETE /webhooks/{uuid}": 204, "DELETE /chats/{workspace}": 204, "DELETE /logs/stream": 204, "POST /logs/stderr": 204,
}

// describeBodies are the schemas of all bodies by "METHOD pattern".
func describeBodies() map[string]jsonvalue.Value {
	bodies := map[string]jsonvalue.Value{}
	for key, table := range describedBodies {
		bodies[key] = objectSchema(table.Describe())
	}
	describeSettings(bodies)
	document := objectOf(named("type", textOf("object")))
	bodies["POST /indexes/{index_uid}/documents"] = document
	bodies["PUT /indexes/{index_uid}/documents"] = document
	bodies["POST /indexes/{index_uid}/documents/delete-batch"] = arraySchema(objectOf(named("type", jsonvalue.ArrayOfStrings([]string{"string", "integer"}))))
	bodies["POST /swap-indexes"] = arraySchema(objectSchema(swapFields.Describe()))
	bodies["POST /network/control"] = objectOf(named("type", textOf("object")), named("required", jsonvalue.ArrayOfStrings([]string{"origin"})))
	bodies["POST /chats/{workspace}/chat/completions"] = objectOf(named("type", textOf("object")),
		named("properties", objectOf(named("model", stringSchema), named("messages", arraySchema(document)), named("stream", objectOf(named("type", textOf("boolean")))))),
		named("required", jsonvalue.ArrayOfStrings([]string{"model", "messages"})))
	return bodies
}

// describeSettings adds the bodies of the settings routes; defaults are those of
// a fresh index.
func describeSettings(bodies map[string]jsonvalue.Value) {
	const all = "/indexes/{index_uid}/settings"
	var properties []jsonvalue.Member
	fresh := settings.Default()
	for _, s := range settings.Table() {
		d := s.Describe()
		schema := schemaOf(&d)
		if shown, err := jsonvalue.Parse(s.AppendPublic(nil, fresh)); err == nil {
			schema = objectOf(append(schema.Members(), named("default", shown))...)
		}
		properties = append(properties, named(s.Name, schema))
		bodies[s.Verb+" "+all+"/"+s.Path] = schema
	}
	bodies["PATCH "+all] = objectOf(named("type", textOf("object")), named("properties", objectOf(properties...)), named("additionalProperties", jsonvalue.BoolValue(false)))
}
