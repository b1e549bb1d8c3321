package httpfront

import (
	"net/http"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// openAPI describes the API in the OpenAPI form. It is made from the table that
// serves requests, so it cannot drift from it.
func openAPI(table []route) []byte {
	doc := jsonvalue.ObjectValue(
		named("openapi", jsonvalue.StringValue("3.1.0")),
		named("info", jsonvalue.ObjectValue(named("title", jsonvalue.StringValue("Shoal")), named("version", jsonvalue.StringValue("1.50.0")),
			named("description", jsonvalue.StringValue("The Meilisearch 1.50 API, served by a cluster.")))),
		named("paths", describePaths(table)),
		named("components", jsonvalue.ObjectValue(
			named("securitySchemes", jsonvalue.ObjectValue(named("Bearer", jsonvalue.ObjectValue(named("type", jsonvalue.StringValue("http")), named("scheme", jsonvalue.StringValue("bearer")))))),
			named("schemas", jsonvalue.ObjectValue(named("Error", errorSchema()), named("TaskSummary", summarySchema()))))),
	)
	return doc.AppendJSON(nil)
}

func named(name string, v jsonvalue.Value) jsonvalue.Member {
	return jsonvalue.Member{Name: name, Value: v}
}

func reference(name string) jsonvalue.Value {
	return jsonvalue.ObjectValue(named("$ref", jsonvalue.StringValue("#/components/schemas/"+name)))
}

func jsonContent(schema jsonvalue.Value) jsonvalue.Member {
	return named("content", jsonvalue.ObjectValue(named("application/json", jsonvalue.ObjectValue(named("schema", schema)))))
}

// describePaths groups the routes by path, in the order of the table.
func describePaths(table []route) jsonvalue.Value {
	var paths []jsonvalue.Member
	places := map[string]int{}
	for i := range table {
		r := &table[i]
		operation := named(strings.ToLower(r.Method), describeRoute(r))
		if at, known := places[r.Pattern]; known {
			paths[at].Value = jsonvalue.ObjectValue(append(paths[at].Value.Members(), operation)...)
			continue
		}
		places[r.Pattern] = len(paths)
		paths = append(paths, named(r.Pattern, jsonvalue.ObjectValue(operation)))
	}
	return jsonvalue.ObjectValue(paths...)
}

func describeRoute(r *route) jsonvalue.Value {
	list := []jsonvalue.Member{named("operationId", jsonvalue.StringValue(operationID(r)))}
	if len(r.Actions) > 0 {
		list = append(list, named("security", jsonvalue.ArrayValue(jsonvalue.ObjectValue(named("Bearer", jsonvalue.ArrayOfStrings(r.Actions))))))
	}
	var parameters []jsonvalue.Value
	for _, segment := range strings.Split(r.Pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			parameters = append(parameters, parameter(strings.TrimSuffix(name, "}"), "path", true, stringSchema))
		}
	}
	if r.Query != nil {
		for _, d := range r.Query.DescribeQuery() {
			parameters = append(parameters, parameter(d.Name, "query", d.Required, schemaOf(&d)))
		}
	}
	if parameters != nil {
		list = append(list, named("parameters", jsonvalue.ArrayValue(parameters...)))
	}
	if schema, ok := bodySchema(r); ok {
		content := jsonContent(schema)
		if r.Upload {
			content = uploadContent(schema)
		}
		list = append(list, named("requestBody", jsonvalue.ObjectValue(named("required", jsonvalue.BoolValue(true)), content)))
	}
	failure := named("default", jsonvalue.ObjectValue(named("description", jsonvalue.StringValue("Refused or failed")), jsonContent(reference("Error"))))
	return jsonvalue.ObjectValue(append(list, named("responses", jsonvalue.ObjectValue(success(r), failure)))...)
}

// success describes the answer of a route that did its work: writes through the
// task queue answer 202 with a summary.
func success(r *route) jsonvalue.Member {
	if r.Enqueues {
		return named("202", jsonvalue.ObjectValue(named("description", jsonvalue.StringValue("The task was enqueued")), jsonContent(reference("TaskSummary"))))
	}
	status := http.StatusOK
	if r.Status != 0 {
		status = r.Status
	}
	return named(strconv.Itoa(status), jsonvalue.ObjectValue(named("description", jsonvalue.StringValue("Success"))))
}

// bodySchema describes what the route takes, if anything.
func bodySchema(r *route) (schema jsonvalue.Value, ok bool) {
	switch {
	case r.Schema != nil:
		return r.Schema(), true
	case r.Body != nil:
		return objectSchema(r.Body.Describe()), true
	}
	return schema, false
}

func operationID(r *route) string {
	id := strings.ToLower(r.Method)
	for _, segment := range strings.FieldsFunc(r.Pattern, func(c rune) bool { return strings.ContainsRune("/{}", c) }) {
		id += "_" + strings.ReplaceAll(segment, "-", "_")
	}
	return id
}

func parameter(name, in string, required bool, schema jsonvalue.Value) jsonvalue.Value {
	return jsonvalue.ObjectValue(named("name", jsonvalue.StringValue(name)), named("in", jsonvalue.StringValue(in)), named("required", jsonvalue.BoolValue(required)), named("schema", schema))
}

// errorSchema lists every code with its status and type.
func errorSchema() jsonvalue.Value {
	var lines []string
	for _, name := range apierr.CodeNames() {
		code, _ := apierr.CodeByName(name)
		lines = append(lines, name+" ("+strconv.Itoa(code.Status)+", "+code.Type+")")
	}
	member := func(name string, more ...jsonvalue.Member) jsonvalue.Member {
		return named(name, jsonvalue.ObjectValue(append([]jsonvalue.Member{named("type", jsonvalue.StringValue("string"))}, more...)...))
	}
	return jsonvalue.ObjectValue(named("type", jsonvalue.StringValue("object")), named("properties", jsonvalue.ObjectValue(
		member("message"),
		member("code", named("enum", jsonvalue.ArrayOfStrings(apierr.CodeNames())), named("description", jsonvalue.StringValue(strings.Join(lines, "; ")))),
		member("type", named("enum", jsonvalue.ArrayOfStrings([]string{"invalid_request", "internal", "auth", "system"}))),
		member("link"))))
}

func summarySchema() jsonvalue.Value {
	plain := func(kind string) jsonvalue.Value {
		return jsonvalue.ObjectValue(named("type", jsonvalue.StringValue(kind)))
	}
	return jsonvalue.ObjectValue(named("type", jsonvalue.StringValue("object")), named("properties", jsonvalue.ObjectValue(
		named("taskUid", plain("integer")), named("indexUid", jsonvalue.ObjectValue(named("type", jsonvalue.ArrayOfStrings([]string{"string", "null"})))),
		named("status", plain("string")), named("type", plain("string")), named("enqueuedAt", plain("string")), named("customMetadata", plain("string")))))
}
