// Package mcp lets language models use a cluster by the Model Context Protocol: it offers
// the routes of the API as tools (route /mcp, experimental feature mcpRoute).
//
// In: JSON-RPC messages, each answered by itself (streamable HTTP), or in a session whose
// answers are server-sent events. Out: requests to other routes with the key of the caller.
// Those routes check, filter and bound them as if the caller had sent them.
package mcp
