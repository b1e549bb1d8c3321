package life

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// aliasNames are the aliases that requests make.
var aliasNames = []string{"first", "second", "third"}

// alias makes, turns, removes or lists aliases.
func (w *World) alias() Request {
	name := pick(w, aliasNames)
	at := "/cluster/aliases/" + name
	switch w.r.IntN(8) {
	case 0:
		return w.send("GET", "/cluster/aliases", nil, false)
	case 1:
		delete(w.aliases, name)
		return w.send("DELETE", at, nil, false)
	}
	to := w.index()
	body := map[string]any{"index": to}
	if w.chance(40) {
		body["from"] = pick(w, append(slices.Clone(names), w.aliases[name]))
	}
	if w.indexes[to] != nil && (body["from"] == nil || body["from"] == w.aliases[name]) {
		w.aliases[name] = to
	}
	return w.send("PUT", at, body, false)
}

// byAlias has some requests that read or write an index name an alias of it.
func (w *World) byAlias(requests []Request) []Request {
	for _, name := range slices.Sorted(maps.Keys(w.aliases)) {
		uid := w.aliases[name]
		for i := range requests {
			r := &requests[i]
			if w.indexes[uid] == nil || !w.chance(30) {
				continue
			}
			if rest, ok := strings.CutPrefix(r.Path, "/indexes/"+uid+"/"); ok {
				r.Path = "/indexes/" + name + "/" + rest
			}
			if body, ok := r.Body.(json.RawMessage); ok && r.Path == "/multi-search" {
				r.Body = json.RawMessage(bytes.ReplaceAll(body, []byte(`"indexUid":"`+uid+`"`), []byte(`"indexUid":"`+name+`"`)))
			}
		}
	}
	return requests
}

// Expiring gives the first index documents and has them expire by an attribute that holds all
// kinds of values. Clusters delete at different times: Expired tells when one is done.
func (w *World) Expiring() []Request {
	uid := names[0]
	return []Request{
		w.refill(uid),
		// Without embedders: settings would be refused if documents lack vectors for them.
		w.send("PATCH", "/indexes/"+uid+"/settings", map[string]any{
			"expiryAttribute": "mixed", "filterableAttributes": []string{"mixed"}, "embedders": nil,
		}, true),
	}
}

// Expired counts the documents that have expired and are not deleted yet: once it finds none, the
// clusters must hold the same.
func Expired() Request {
	return Request{Method: "POST", Path: "/indexes/" + names[0] + "/search", Body: json.RawMessage(`{"filter":"mixed 9e-9 TO 1000000000","limit":1}`)}
}
