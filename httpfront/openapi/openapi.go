package openapi

import (
	"net/http"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/httpfront/routing"
)

// Describe describes the API in the OpenAPI form. It uses the table that serves requests,
// so it cannot drift from it.
func Describe(table []routing.Route) []byte {
	doc := jsonvalue.ObjectValue(
		Named("openapi", jsonvalue.StringValue("3.1.0")),
		Named("info", jsonvalue.ObjectValue(Named("title", jsonvalue.StringValue("Shoal")), Named("version", jsonvalue.StringValue("1.50.0")),
			Named("description", jsonvalue.StringValue("The Meilisearch 1.50 API, served by a cluster.")))),
		Named("paths", describePaths(table)),
		Named("components", jsonvalue.ObjectValue(
			Named("securitySchemes", jsonvalue.ObjectValue(Named("Bearer", jsonvalue.ObjectValue(Named("type", jsonvalue.StringValue("http")), Named("scheme", jsonvalue.StringValue("bearer")))))),
			Named("schemas", jsonvalue.ObjectValue(Named("Error", errorSchema()), Named("TaskSummary", summarySchema()))))),
	)
	return doc.AppendJSON(nil)
}

func Named(name string, v jsonvalue.Value) jsonvalue.Member {
	return jsonvalue.Member{Name: name, Value: v}
}

func reference(name string) jsonvalue.Value {
	return jsonvalue.ObjectValue(Named("$ref", jsonvalue.StringValue("#/components/schemas/"+name)))
}

func jsonContent(schema jsonvalue.Value) jsonvalue.Member {
	return Named("content", jsonvalue.ObjectValue(Named("application/json", jsonvalue.ObjectValue(Named("schema", schema)))))
}

// describePaths groups the routes by path, in the order of the table.
func describePaths(table []routing.Route) jsonvalue.Value {
	var paths []jsonvalue.Member
	places := map[string]int{}
	for i := range table {
		r := &table[i]
		operation := Named(strings.ToLower(r.Method), describeRoute(r))
		if at, known := places[r.Pattern]; known {
			paths[at].Value = jsonvalue.ObjectValue(append(paths[at].Value.Members(), operation)...)
			continue
		}
		places[r.Pattern] = len(paths)
		paths = append(paths, Named(r.Pattern, jsonvalue.ObjectValue(operation)))
	}
	return jsonvalue.ObjectValue(paths...)
}

func describeRoute(r *routing.Route) jsonvalue.Value {
	list := []jsonvalue.Member{Named("operationId", jsonvalue.StringValue(operationID(r)))}
	if len(r.Actions) > 0 {
		list = append(list, Named("security", jsonvalue.ArrayValue(jsonvalue.ObjectValue(Named("Bearer", jsonvalue.ArrayOfStrings(r.Actions))))))
	}
	var parameters []jsonvalue.Value
	for _, segment := range strings.Split(r.Pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			parameters = append(parameters, parameter(strings.TrimSuffix(name, "}"), "path", true, StringSchema))
		}
	}
	if r.Query != nil {
		for _, d := range r.Query.DescribeQuery() {
			parameters = append(parameters, parameter(d.Name, "query", d.Required, SchemaOf(&d)))
		}
	}
	if parameters != nil {
		list = append(list, Named("parameters", jsonvalue.ArrayValue(parameters...)))
	}
	if schema, ok := bodySchema(r); ok {
		content := jsonContent(schema)
		if r.Upload {
			content = uploadContent(schema)
		}
		list = append(list, Named("requestBody", jsonvalue.ObjectValue(Named("required", jsonvalue.BoolValue(true)), content)))
	}
	failure := Named("default", jsonvalue.ObjectValue(Named("description", jsonvalue.StringValue("Refused or failed")), jsonContent(reference("Error"))))
	return jsonvalue.ObjectValue(append(list, Named("responses", jsonvalue.ObjectValue(success(r), failure)))...)
}

// success describes the answer of a successful request. Writes through the task queue
// answer 202 with a summary.
func success(r *routing.Route) jsonvalue.Member {
	if r.Enqueues {
		return Named("202", jsonvalue.ObjectValue(Named("description", jsonvalue.StringValue("The task was enqueued")), jsonContent(reference("TaskSummary"))))
	}
	status := http.StatusOK
	if r.Status != 0 {
		status = r.Status
	}
	return Named(strconv.Itoa(status), jsonvalue.ObjectValue(Named("description", jsonvalue.StringValue("Success"))))
}

// bodySchema describes the body of the route, if it takes one.
func bodySchema(r *routing.Route) (schema jsonvalue.Value, ok bool) {
	switch {
	case r.Schema != nil:
		return r.Schema(), true
	case r.Body != nil:
		return ObjectSchema(r.Body.Describe()), true
	}
	return schema, false
}

func operationID(r *routing.Route) string {
	id := strings.ToLower(r.Method)
	for _, segment := range strings.FieldsFunc(r.Pattern, func(c rune) bool { return strings.ContainsRune("/{}", c) }) {
		id += "_" + strings.ReplaceAll(segment, "-", "_")
	}
	return id
}

func parameter(name, in string, required bool, schema jsonvalue.Value) jsonvalue.Value {
	return jsonvalue.ObjectValue(Named("name", jsonvalue.StringValue(name)), Named("in", jsonvalue.StringValue(in)), Named("required", jsonvalue.BoolValue(required)), Named("schema", schema))
}

// errorSchema lists every code with its status and type.
func errorSchema() jsonvalue.Value {
	var lines []string
	for _, name := range apierr.CodeNames() {
		code, _ := apierr.CodeByName(name)
		lines = append(lines, name+" ("+strconv.Itoa(code.Status)+", "+code.Type+")")
	}
	member := func(name string, more ...jsonvalue.Member) jsonvalue.Member {
		return Named(name, jsonvalue.ObjectValue(append([]jsonvalue.Member{Named("type", jsonvalue.StringValue("string"))}, more...)...))
	}
	return jsonvalue.ObjectValue(Named("type", jsonvalue.StringValue("object")), Named("properties", jsonvalue.ObjectValue(
		member("message"),
		member("code", Named("enum", jsonvalue.ArrayOfStrings(apierr.CodeNames())), Named("description", jsonvalue.StringValue(strings.Join(lines, "; ")))),
		member("type", Named("enum", jsonvalue.ArrayOfStrings([]string{"invalid_request", "internal", "auth", "system"}))),
		member("link"))))
}

func summarySchema() jsonvalue.Value {
	plain := func(kind string) jsonvalue.Value {
		return jsonvalue.ObjectValue(Named("type", jsonvalue.StringValue(kind)))
	}
	return jsonvalue.ObjectValue(Named("type", jsonvalue.StringValue("object")), Named("properties", jsonvalue.ObjectValue(
		Named("taskUid", plain("integer")), Named("indexUid", jsonvalue.ObjectValue(Named("type", jsonvalue.ArrayOfStrings([]string{"string", "null"})))),
		Named("status", plain("string")), Named("type", plain("string")), Named("enqueuedAt", plain("string")), Named("customMetadata", plain("string")))))
}
