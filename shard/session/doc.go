// Package session is one search on one state of one shard, as the coordinator's
// driver sees it: it joins ranking (package rank), facets (facet), filters
// (filter) and the rendering of hits (render) behind one Step. Locally a step is
// a plain call; for a remote driver the node that holds the shard loops over the
// steps of a stream.
//
// A search enters at New and Session.Step and leaves with Session.Close. A Session
// belongs to one goroutine and starts none.
package session
