// Command clients lets public client libraries of the API, those for Python and
// JavaScript, use a cluster of three nodes as their users do (make clients): index,
// documents, settings, tasks, search, facets, multi-search, keys, tenant tokens. Every
// step asks another node.
//
// The libraries come from PyPI and npm at pinned versions into a temporary folder;
// client.py and client.mjs are the scripts. A language that is not installed is left
// out and named.
package main
