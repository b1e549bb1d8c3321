// Package ctl holds the commands that steer a running cluster from outside:
// import, dump, snapshot, decommission, check, top, debug zip and the named
// clusters. A command line that is parsed comes in; requests to any node's
// HTTP API, progress and results go out. It knows the API and nothing of how a node
// works, so of ours it imports only node/commandline, for completion and manual.
package ctl
