package surface

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// values are one value for each setting that is not its default, by the last part
// of the path.
var values = map[string]string{
	"displayed-attributes":  `["title"]`,
	"searchable-attributes": `["title"]`,
	"filterable-attributes": `["year",{"attributePatterns":["t*"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":true}}}]`,
	"sortable-attributes":   `["year"]`,
	"foreign-keys":          `[{"foreignIndexUid":"books","fieldName":"book"}]`,
	"ranking-rules":         `["words","typo"]`,
	"stop-words":            `["the"]`,
	"non-separator-tokens":  `["@"]`,
	"separator-tokens":      `["|"]`,
	"dictionary":            `["J. R. R."]`,
	"synonyms":              `{"movie":["film"]}`,
	"distinct-attribute":    `"year"`,
	"proximity-precision":   `"byAttribute"`,
	"typo-tolerance":        `{"enabled":false,"minWordSizeForTypos":{"oneTypo":3,"twoTypos":8},"disableOnWords":["x"],"disableOnAttributes":["title"],"disableOnNumbers":true}`,
	"faceting":              `{"maxValuesPerFacet":7,"sortFacetValuesBy":{"*":"count"}}`,
	"pagination":            `{"maxTotalHits":9}`,
	"embedders":             `{"e":{"source":"userProvided","dimensions":4,"distribution":{"mean":0.5,"sigma":0.5},"binaryQuantized":true}}`,
	"search-cutoff-ms":      `150`,
	"localized-attributes":  `[{"attributePatterns":["*"],"locales":["eng"]}]`,
	"facet-search":          `false`,
	"prefix-search":         `"disabled"`,
	"expiry-attribute":      `"year"`,
	"chat": `{"description":"d","documentTemplate":"{{doc.title}}","documentTemplateMaxBytes":99,"searchParameters":{"hybrid":{"embedder":"e","semanticRatio":0.5},"limit":2,"sort":["year:asc"],
		"distinct":"year","matchingStrategy":"all","attributesToSearchOn":["title"],"rankingScoreThreshold":0.5}}`,
}

// settings changes every setting through its own route and through that of all,
// and resets it.
func (tr *tour) settings() {
	tr.send(&request{method: "POST", path: "/indexes", body: `{"uid":"settings"}`})
	const all = "/indexes/settings/settings"
	fresh := tr.read(all)
	done := 0
	// The attribute by which documents expire must be filterable by then.
	patterns := slices.Sorted(maps.Keys(tr.doc.Paths))
	slices.SortStableFunc(patterns, func(a, b string) int {
		return strings.Index(a, "expiry") - strings.Index(b, "expiry")
	})
	for _, pattern := range patterns {
		operations := tr.doc.Paths[pattern]
		name, ok := strings.CutPrefix(pattern, "/indexes/{index_uid}/settings/")
		if !ok {
			continue
		}
		verb := "PUT"
		if operations["patch"] != nil {
			verb = "PATCH"
		}
		text, known := values[name]
		if !known {
			tr.t.Errorf("no value for the setting %s", name)
			continue
		}
		path := all + "/" + name
		standard := tr.read(path)
		tr.send(&request{method: verb, path: path, body: text})
		changed := tr.read(path)
		if reflect.DeepEqual(changed, standard) || !holds(changed, decoded(tr, text)) {
			tr.t.Errorf("%s is %v after %s", name, changed, text)
		}
		tr.send(&request{method: "DELETE", path: path})
		if now := tr.read(path); !reflect.DeepEqual(now, standard) {
			tr.t.Errorf("%s is %v after its reset, was %v", name, now, standard)
		}
		// The same through the route of all settings.
		member := camel(name)
		tr.send(&request{method: "PATCH", path: all, body: `{"` + member + `":` + text + `}`})
		if now := tr.read(path); !reflect.DeepEqual(now, changed) {
			tr.t.Errorf("%s is %v when set with all, %v alone", name, now, changed)
		}
		done++
	}
	tr.send(&request{method: "DELETE", path: all})
	if now := tr.read(all); !reflect.DeepEqual(now, fresh) {
		tr.t.Errorf("settings after the reset: %v\nwere %v", now, fresh)
	}
	tr.t.Logf("%d settings", done)
}

func camel(name string) string {
	parts := strings.Split(name, "-")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}

func (tr *tour) read(path string) any {
	tr.t.Helper()
	return decoded(tr, string(tr.send(&request{method: "GET", path: path})))
}

func decoded(tr *tour, text string) (v any) {
	tr.t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		tr.t.Fatalf("%s: %v", text, err)
	}
	return v
}

// holds tells whether a value has everything that was set.
func holds(value, set any) bool {
	want, ok := set.(map[string]any)
	if !ok {
		return reflect.DeepEqual(value, set)
	}
	have, ok := value.(map[string]any)
	for name, below := range want {
		ok = ok && holds(have[name], below)
	}
	return ok
}
