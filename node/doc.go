// Package node assembles a process: configuration, membership, links between
// nodes, and the order in which everything opens and closes.
//
// It is the only place where consensus, coordinator, shard and httpfront meet: they declare
// the interfaces they need, and node connects them. Run is the whole run of a serving
// process; package command has the command line.
//
// In: a config.Config. Out: a process that serves clients and other nodes. Each package
// below owns one thing: folder, address, gossip, peer and link, blob, formation, catchup,
// observe, memory, clock, explain, poll, view, report. ctl talks to a cluster from outside.
//
// Open order: data folder, listener and link, gossip, finding the cluster, consensus,
// shards, scheduler and replica followers, the front, an import, HTTP. Close runs the same stack backwards.
package node
