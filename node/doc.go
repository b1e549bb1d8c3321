// Package node assembles a process: configuration, membership, links between
// nodes, and the order in which everything opens and closes.
//
// It is the only place where consensus, coordinator, shard and httpfront meet: they declare
// the interfaces they need, and node connects them. Run is the whole run of a serving
// process; package command has the command line.
//
// In: a config.Config. Out: a process that serves clients and other nodes. Each package
// below owns one thing: folder, address, gossip, peer and link, blob, formation, catchup,
// observe, memory, explain, poll, view, report. ctl talks to a cluster from outside.
//
// Node opens the parts of a process in order, and closes them in reverse order. Each part is
// a type that needs those before it and owns its state:
//
//   - process: options, log, data folder; the goroutines and what is open
//   - importing: a dump or snapshot that this start imports
//   - entrance: the listener for clients
//   - peers: the connections to other nodes; their addresses (directory), and what is known
//     of the cluster before the log is open (membership)
//   - twins, greeter, founding: who runs with this node's id, who fits, which cluster it is
//   - member: the log
//   - data: the shards and staged payloads of this node
//   - work, batches: the coordinator, for clients and by itself
//   - readiness, front: when this node can serve; the service for clients
package node
