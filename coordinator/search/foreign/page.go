package foreign

import (
	"shoal/api"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// page are the documents that a page of hits names, by index and id, and the indexes in the
// order in which they were met.
type page struct {
	documents map[string]map[string][]byte
	order     []string
}

// gather notes what stands at the keys of a hit and of the others of its group.
func (p *page) gather(hit *api.Hit, keys []settings.ForeignKey) {
	if len(keys) == 0 {
		return
	}
	if v, err := jsonvalue.Parse(hit.Document); err == nil {
		for _, k := range keys {
			visit(&v, k.Field, func(id string) { p.note(k.Index, id) })
		}
	}
	for i := range hit.Group {
		p.gather(&hit.Group[i], keys)
	}
}

func (p *page) note(index, id string) {
	if p.documents == nil {
		p.documents = map[string]map[string][]byte{}
	}
	if p.documents[index] == nil {
		p.documents[index] = map[string][]byte{}
		p.order = append(p.order, index)
	}
	p.documents[index][id] = nil
}

// eachOf rewrites the document of a hit, its formatted copy, and those of its group.
func eachOf(hit *api.Hit, rewrite func(raw []byte) []byte) {
	hit.Document, hit.Formatted = rewrite(hit.Document), rewrite(hit.Formatted)
	for i := range hit.Group {
		eachOf(&hit.Group[i], rewrite)
	}
}
