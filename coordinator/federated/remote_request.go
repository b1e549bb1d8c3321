package federated

import (
	"shoal/api"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/parameter"
)

// remoteBody returns the multi-search for another instance: its queries under their positions
// here, and the federation with a window that starts at the first hit (spec search-api 6).
func remoteBody(f *api.Federation, queries []federatedQuery) []byte {
	list := []byte{'['}
	for i := range queries {
		q := &queries[i]
		if i > 0 {
			list = append(list, ',')
		}
		var options, m jsonvalue.ObjectWriter
		options.Raw("weight", jsonvalue.AppendFloat(nil, q.weight))
		options.Count("queryPosition", q.position)
		m.Text("indexUid", q.query.IndexUID)
		parameter.WriteSearch(&m, &q.query.SearchRequest)
		m.Raw("federationOptions", options.End())
		list = append(list, m.End()...)
	}
	var body jsonvalue.ObjectWriter
	body.Raw("queries", append(list, ']'))
	body.Raw("federation", remoteFederation(f, queries))
	return body.End()
}

func remoteFederation(f *api.Federation, queries []federatedQuery) []byte {
	var m, facets jsonvalue.ObjectWriter
	_, to := f.Window()
	if f.PageMode() {
		m.Count("page", 1)
		m.Count("hitsPerPage", to)
	} else {
		m.Count("limit", to)
	}
	for _, e := range f.FacetsByIndex {
		for i := range queries {
			if e.Facets != nil && queries[i].query.IndexUID == e.IndexUID {
				facets.Key(e.IndexUID)
				facets.Buf = decode.WriteStrings(facets.Buf, e.Facets, true)
				break
			}
		}
	}
	m.Raw("facetsByIndex", facets.End())
	m.OptionalText("distinct", f.Distinct)
	return m.End()
}
