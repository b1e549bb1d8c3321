// Package console serves the page that people look at: search, analytics, indexes, tasks,
// the cluster, keys and requests. A GET for / by a browser, or for a path under
// /console/, comes in; an embedded file goes out. The page speaks to the API like
// any other client, with the key that its user enters, so this package knows no
// data. It imports nothing of ours.
package console
