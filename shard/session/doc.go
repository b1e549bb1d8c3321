// Package session is one search on one state of one shard, as the coordinator's driver
// sees it. It joins ranking (package rank), facets (facet), filters (filter) and the
// rendering of hits (render) behind one Step. Locally a step is a plain call. For a
// remote driver, the node of the shard loops over the steps of a stream.
//
// A search starts with New, continues with Session.Step and ends with Session.Close. A
// Session belongs to one goroutine and starts none.
package session
