package mcp

import (
	"net/url"
	"strings"
	"sync"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
)

// offered are the tools: routes under names that models know from other servers. The
// arguments of a tool and the actions it needs follow from its route.
var offered = []struct{ name, method, pattern, about string }{
	{"search", "POST", "/indexes/{index_uid}/search", "Search the documents of one index, by words, filters, facets and vectors."},
	{"multi-search", "POST", "/multi-search", "Run several searches, each on an index of its own, at once; with `federation` their hits come as one list."},
	{"facet-search", "POST", "/indexes/{index_uid}/facet-search", "Find values of a facet of an index by their beginning, with the number of documents."},
	{"list-indexes", "GET", "/indexes", "List the indexes with their primary keys."},
	{"get-index", "GET", "/indexes/{index_uid}", "Tell the primary key of one index, and when it was made and changed."},
	{"create-index", "POST", "/indexes", "Make an index. Answers with a task."},
	{"delete-index", "DELETE", "/indexes/{index_uid}", "Delete an index with all its documents. Answers with a task."},
	{"get-documents", "POST", "/indexes/{index_uid}/documents/fetch", "List documents of an index, all or those that pass a filter."},
	{"get-document", "GET", "/indexes/{index_uid}/documents/{document_id}", "Read one document by its id."},
	{"add-documents", "POST", "/indexes/{index_uid}/documents", "Add documents to an index, in the place of those of the same id. Answers with a task."},
	{"update-documents", "PUT", "/indexes/{index_uid}/documents", "Change fields of documents, or add documents. Answers with a task."},
	{"delete-documents", "POST", "/indexes/{index_uid}/documents/delete", "Delete the documents that pass a filter. Answers with a task."},
	{"get-settings", "GET", "/indexes/{index_uid}/settings", "Read the settings of an index: which fields are searched, filtered and sorted by, how it ranks."},
	{"update-settings", "PATCH", "/indexes/{index_uid}/settings", "Change settings of an index; those that are not named stay. Answers with a task."},
	{"get-stats", "GET", "/stats", "Count the documents and fields of all indexes."},
	{"get-tasks", "GET", "/tasks", "List tasks, the newest first."},
	{"get-task", "GET", "/tasks/{task_uid}", "Read one task: whether it is done, and what went wrong."},
	{"cancel-tasks", "POST", "/tasks/cancel", "Cancel the tasks that pass the filters and are not done. Answers with a task."},
}

// tool is one route as models see it.
type tool struct {
	name  string
	route *routing.Route
	// path are the parameters of its path, in order. query are those of its query string.
	path, query []string
	described   func() []byte // its element of the list of tools
}

// toolsOf finds the routes of the tools in a table.
func toolsOf(table []routing.Route) []*tool {
	var list []*tool
	for _, o := range offered {
		for i := range table {
			if r := &table[i]; r.Method == o.method && r.Pattern == o.pattern {
				t := &tool{name: o.name, route: r, path: pathParameters(r.Pattern)}
				if r.Query != nil {
					for _, d := range r.Query.DescribeQuery() {
						t.query = append(t.query, d.Name)
					}
				}
				t.described = sync.OnceValue(func() []byte { return t.describe(o.about) })
				list = append(list, t)
			}
		}
	}
	return list
}

// pathParameters lists the parameters of a pattern in the spelling of bodies: indexUid.
func pathParameters(pattern string) (names []string) {
	for segment := range strings.SplitSeq(pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			name, rest, _ := strings.Cut(strings.TrimSuffix(name, "}"), "_")
			names = append(names, name+strings.ToUpper(rest[:1])+rest[1:])
		}
	}
	return names
}

// describe makes the tool's element of the list of tools.
func (t *tool) describe(about string) []byte {
	var properties []jsonvalue.Member
	required := t.path
	for _, name := range t.path {
		properties = append(properties, openapi.Named(name, openapi.StringSchema))
	}
	if t.route.Query != nil {
		for _, d := range t.route.Query.DescribeQuery() {
			properties = append(properties, openapi.Named(d.Name, openapi.SchemaOf(&d)))
		}
	}
	switch {
	case t.route.Upload:
		properties = append(properties, openapi.Named("documents", openapi.ArraySchema(openapi.AnyObject())))
		required = append(required[:len(required):len(required)], "documents")
	case t.route.Schema != nil:
		if schema := t.route.Schema(); schema.Get("properties") != nil {
			properties = append(properties, schema.Get("properties").Members()...)
		}
	case t.route.Body != nil:
		for _, d := range t.route.Body.Describe() {
			properties = append(properties, openapi.Named(d.Name, openapi.SchemaOf(&d)))
			if d.Required {
				required = append(required[:len(required):len(required)], d.Name)
			}
		}
	}
	schema := []jsonvalue.Member{openapi.Named("type", jsonvalue.StringValue("object")), openapi.Named("properties", jsonvalue.ObjectValue(properties...))}
	if len(required) > 0 {
		schema = append(schema, openapi.Named("required", jsonvalue.ArrayOfStrings(required)))
	}
	deletes := t.route.Method == "DELETE" || strings.HasSuffix(t.route.Pattern, "/delete") || strings.HasSuffix(t.route.Pattern, "/cancel")
	hints := jsonvalue.ObjectValue(openapi.Named("readOnlyHint", jsonvalue.BoolValue(!t.route.Enqueues && !deletes)), openapi.Named("destructiveHint", jsonvalue.BoolValue(deletes)))
	out := jsonvalue.ObjectValue(openapi.Named("name", jsonvalue.StringValue(t.name)), openapi.Named("description", jsonvalue.StringValue(about)),
		openapi.Named("inputSchema", jsonvalue.ObjectValue(schema...)), openapi.Named("annotations", hints))
	return out.AppendJSON(nil)
}

// request makes the request for a call: the target, and the body if there is one.
func (t *tool) request(arguments *jsonvalue.Value) (target string, body []byte, err *apierr.Error) {
	target = t.route.Pattern
	left := map[string]*jsonvalue.Value{}
	for i := range arguments.Members() {
		m := &arguments.Members()[i]
		left[m.Name] = &m.Value
	}
	for _, name := range t.path {
		text := ""
		if v := left[name]; v != nil {
			text = textOf(v)
		}
		if text == "" || text == "." || text == ".." {
			return "", nil, decode.BodyRoot(apierr.CodeBadRequest).MissingField(name, apierr.CodeBadRequest)
		}
		from := strings.IndexByte(target, '{')
		to := from + strings.IndexByte(target[from:], '}') + 1
		target = target[:from] + url.PathEscape(text) + target[to:]
		delete(left, name)
	}
	var query []string
	for _, name := range t.query {
		if v := left[name]; v != nil {
			if !v.IsNull() {
				query = append(query, name+"="+url.QueryEscape(textOf(v)))
			}
			delete(left, name)
		}
	}
	if query != nil {
		target += "?" + strings.Join(query, "&")
	}
	if t.route.Upload {
		documents := left["documents"]
		if documents == nil || documents.Kind() != jsonvalue.KindArray {
			return "", nil, decode.BodyRoot(apierr.CodeBadRequest).MissingField("documents", apierr.CodeBadRequest)
		}
		return target, documents.AppendJSON(nil), nil
	}
	if t.route.Body == nil && t.route.Schema == nil {
		for name := range left {
			return "", nil, decode.BodyRoot(apierr.CodeBadRequest).UnknownField(name, append(append([]string(nil), t.path...), t.query...))
		}
		return target, nil, nil
	}
	o := jsonvalue.ObjectWriter{}
	for i := range arguments.Members() {
		if m := &arguments.Members()[i]; left[m.Name] == &m.Value {
			o.Value(m.Name, m.Value.AppendJSON)
		}
	}
	return target, o.End(), nil
}

// textOf writes a value for a path or query string. A list gets commas.
func textOf(v *jsonvalue.Value) string {
	switch v.Kind() {
	case jsonvalue.KindString:
		return v.String()
	case jsonvalue.KindArray:
		var texts []string
		for i := range v.Members() {
			texts = append(texts, textOf(&v.Members()[i].Value))
		}
		return strings.Join(texts, ",")
	}
	return v.JSON()
}
