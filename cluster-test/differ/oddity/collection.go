package oddity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	clustertest "shoal/cluster-test"
)

// Collection is the documents of a file, with what their attributes hold.
type Collection struct {
	documents []map[string]any
	prose     []string // attributes with texts
	values    []string // attributes to filter, sort and count by
}

// mostDocuments bounds what is read from a file.
const mostDocuments = 100_000

// ReadCollection reads a file with one JSON object a line, which may be compressed by gzip. Each
// has its primary key in the member id.
func ReadCollection(path string) (c *Collection, err error) {
	lines, err := clustertest.ReadLines(path, mostDocuments)
	if err != nil {
		return nil, err
	}
	c = &Collection{}
	texts, values := map[string]bool{}, map[string]bool{}
	for _, line := range lines {
		var doc map[string]any
		numbers := json.NewDecoder(bytes.NewReader(line))
		numbers.UseNumber()
		if err := numbers.Decode(&doc); err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", path, len(c.documents), err)
		}
		c.documents = append(c.documents, doc)
		for name, v := range doc {
			if text, ok := v.(string); ok && name != "id" {
				texts[name] = true
				values[name] = values[name] || len(text) < 40
			} else if list, ok := v.([]any); ok && len(list) > 0 {
				texts[name], values[name] = true, true
			} else if v != nil {
				values[name] = true
			}
		}
	}
	c.prose, c.values = slices.Sorted(maps.Keys(texts)), slices.Sorted(maps.Keys(values))
	if len(c.documents) == 0 || len(c.prose) == 0 {
		return nil, fmt.Errorf("%s: no documents with texts", path)
	}
	return c, nil
}
