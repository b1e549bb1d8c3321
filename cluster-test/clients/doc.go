// Command clients lets public client libraries of the API, those for Python, JavaScript
// and Go, use a cluster of three nodes as their users do (make clients): index,
// documents, settings, tasks, search, facets, multi-search, keys, tenant tokens. Each
// does so twice: with a client for each node, every step on another one, and with one
// address that gives every request to the next node, also those that wait for a task.
//
// Public clients of the Model Context Protocol (Python, both lines of TypeScript) use the
// tools of /mcp, by streamable HTTP and by server-sent events: versions, what a key sees
// and reaches, the filter of a tenant token, refusals.
//
// The libraries come from their registries at pinned versions into a temporary folder;
// client.py, client.mjs, testdata/client.go, tools.py and tools.mjs use them. A language
// that is not installed is left out and named.
package main
