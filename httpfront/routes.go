package httpfront

import (
	"slices"
	"strings"
)

// handler answers one exchange: it sets the answer, or returns the error to
// answer with.
type handler func(x *exchange) error

// route is one row of the API.
type route struct {
	method  string
	pattern string
	// actions must all be held by the caller's key; none: the route is open.
	actions []string
	serve   handler
	// onIndex: the first parameter is an index uid that the key must cover.
	onIndex bool
	// leased routes are refused by a node that lost contact to the leader.
	leased bool
	// partial routes answer while a dump or snapshot is being read in, by a node
	// that is not the one to read it.
	partial bool
}

// name identifies the route in logs: never the raw path, which may hold a key.
func (r *route) name() string { return r.method + " " + r.pattern }

// row builds a route; actions are separated by blanks, "" makes it open.
func row(method, pattern, actions string, serve handler) route {
	return route{
		method: method, pattern: pattern, actions: strings.Fields(actions), serve: serve,
		onIndex: strings.HasPrefix(pattern, "/indexes/{"),
		leased:  leasedPath(method, pattern),
		partial: partialPath(pattern),
	}
}

// partialPath: what is asked about the process or the cluster, not about its data.
func partialPath(pattern string) bool {
	for _, prefix := range []string{"/version", "/metrics", "/logs", "/cluster"} {
		if strings.HasPrefix(pattern, prefix) {
			return true
		}
	}
	return false
}

// leasedPath: task lists must be current, writes need the leader. Searches and
// document reads go on for a while (architecture 1, promise 4).
func leasedPath(method, pattern string) bool {
	if strings.HasPrefix(pattern, "/tasks") || strings.HasPrefix(pattern, "/batches") {
		return true
	}
	switch {
	case method == "GET":
		return false
	case method == "POST":
		for _, read := range []string{"search", "/similar", "/fetch", "/fields", "/render-template", "/logs/stream", "/logs/stderr"} {
			if strings.HasSuffix(pattern, read) {
				return false
			}
		}
	case strings.HasPrefix(pattern, "/logs"):
		return false
	}
	return true
}

// routes is the API, read from top to bottom. The rows of one path are in the
// order of its allow header.
func routes() []route {
	table := []route{
		row("GET", "/", "", serveRoot),
		row("GET", "/health", "", serveHealth),
		row("GET", "/livez", "", serveLivez),
		row("GET", "/readyz", "", serveReadyz),
		row("GET", "/version", "version", serveVersion),
		row("GET", "/stats", "stats.get", serveStats),
		row("GET", "/indexes/{index_uid}/stats", "stats.get", serveIndexStats),
		row("GET", "/metrics", "metrics.get", serveMetrics),

		row("GET", "/indexes/{index_uid}/search", "search", serveSearchGet),
		row("POST", "/indexes/{index_uid}/search", "search", serveSearchPost),
		row("POST", "/indexes/{index_uid}/facet-search", "search", serveFacetSearch),
		row("GET", "/indexes/{index_uid}/similar", "search", serveSimilarGet),
		row("POST", "/indexes/{index_uid}/similar", "search", serveSimilarPost),
		row("POST", "/multi-search", "search", serveMultiSearch),

		row("GET", "/tasks", "tasks.get", serveTasks),
		row("DELETE", "/tasks", "tasks.delete", serveDeleteTasks),
		row("POST", "/tasks/cancel", "tasks.cancel", serveCancelTasks),
		row("POST", "/tasks/compact", "tasks.compact", serveCompactTasks),
		row("GET", "/tasks/{task_uid}", "tasks.get", serveTask),
		row("GET", "/tasks/{task_uid}/documents", "tasks.get", serveTaskDocuments),
		row("GET", "/batches", "tasks.get", serveBatches),
		row("GET", "/batches/{batch_uid}", "tasks.get", serveBatch),

		row("POST", "/keys", "keys.create", serveCreateKey),
		row("GET", "/keys", "keys.get", serveKeys),
		row("GET", "/keys/{key}", "keys.get", serveKey),
		row("PATCH", "/keys/{key}", "keys.update", serveUpdateKey),
		row("DELETE", "/keys/{key}", "keys.delete", serveDeleteKey),

		row("POST", "/dumps", "dumps.create", serveDump),
		row("POST", "/snapshots", "snapshots.create", serveSnapshot),
		row("POST", "/export", "export", serveExport),

		row("GET", "/experimental-features", "experimental.get", serveFeatures),
		row("PATCH", "/experimental-features", "experimental.update", serveUpdateFeatures),
		row("GET", "/network", "network.get", serveNetwork),
		row("PATCH", "/network", "network.update", serveUpdateNetwork),
		row("POST", "/network/control", "network.update", serveNetworkControl),
		row("GET", "/webhooks", "webhooks.get", serveWebhooks),
		row("POST", "/webhooks", "webhooks.create", serveCreateWebhook),
		row("GET", "/webhooks/{uuid}", "webhooks.get", serveWebhook),
		row("PATCH", "/webhooks/{uuid}", "webhooks.update", serveUpdateWebhook),
		row("DELETE", "/webhooks/{uuid}", "webhooks.delete", serveDeleteWebhook),
		row("POST", "/logs/stream", "metrics.get", serveLogStream),
		row("DELETE", "/logs/stream", "metrics.get", serveStopLogStream),
		row("POST", "/logs/stderr", "metrics.get", serveLogTarget),

		row("POST", "/render-template", "settings.get documents.get", serveRenderTemplate),
	}
	return slices.Concat(table, chatRoutes(), rulesRoutes(), documentRoutes(), clusterRoutes())
}
