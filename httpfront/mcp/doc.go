// Package mcp lets language models use a cluster by the Model Context Protocol: what the
// routes of the API can do is offered as tools (route /mcp, experimental feature mcpRoute).
//
// In: JSON-RPC messages, each answered by itself (streamable HTTP), or in a session whose
// answers come as server-sent events. Out: requests to other routes, with the key of the
// caller: they check it, filter and bound as if the caller had sent them.
package mcp
