// Package consensus is the Raft group of a cluster. On every node it owns the catalogue
// (indexes, keys, values, nodes), the log of tasks and the log of batches. It knows no HTTP
// and no task kinds.
//
// A change enters as a wire.Command through Group.Propose, on any node. It is forwarded to
// the leader, stamped with the leader's time, made durable by a majority and applied by the
// machine of every node, which is a pure function of the log. Propose returns when the node
// that was asked has applied the change. Results leave as an immutable Catalog, and as
// answers to task and batch queries.
//
// Packages below: state is the machine, fsm is what raft drives of it, entry is the form of
// the log, raftlog adapts hashicorp/raft, transport is its network, lease says which nodes may
// answer for tasks, voters decides who votes, and lull holds back the repetitions of an idle
// leader. May import these and wire.
//
// Vocabulary:
//
//   - entry: one record of the Raft log, a stamped wire.Command
//   - machine: the state that entries produce, in one pebble store; its task and
//     batch filters live in memory (queue)
//   - run: the entries applied and made visible together (txn); nothing stored
//     depends on how entries are grouped into runs
//   - layer: changes of the catalogue that are not accepted yet
//   - rename: a change of names that older tasks follow when they are read
//   - snapshot: a reference to a pebble checkpoint
//   - lease: a node's right to answer for tasks, granted by the leader
//   - watermark: the entry that every leased node has applied; a task shows as
//     finished only when its entry lies at or below it
//
// Group is what other packages call. It is put together from objects that know no Group:
// raftNode (raft and its operations under way), client (requests to the leader), barriers
// (shared reads), histories and memory (what tells that this node or its leader has
// forgotten), lease.Own and reporter (this node under a leader). A term of this node as the
// leader is a leadership with its lease.Table, and with membership and votes, which decide who
// is in the group and who votes.
//
// Goroutines: raft's own; one that follows leadership, with the duties of a leader
// (barrier, cluster id, watermark, membership) below it; one that reports this
// node's progress to the leader; one that watches the disk of the log; one that records the
// newest applied entry. The lifetime owns them, and Close ends them all.
package consensus
