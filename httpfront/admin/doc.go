// Package admin answers the routes about the instance as a whole: tasks, keys, features,
// other instances, webhooks, dumps, logs, statistics, the cluster and health probes.
//
// Each group of routes is one file: the port that it needs, its rows, its handlers.
//
// It imports routing, auth, openapi and api, and none of the other handlers.
package admin
