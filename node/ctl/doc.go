// Package ctl holds the commands that steer a running cluster from outside: import, dump,
// snapshot, decommission, check, top, debug zip and the named clusters. In: a parsed
// command line. Out: requests to any node's HTTP API, progress and results. It knows the
// API and nothing of how a node works. Files are cut into uploads by documents.
package ctl
