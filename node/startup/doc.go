// Package startup answers clients before a node is part of its cluster: while it waits for
// first members, replays its log or imports a dump.
//
// In: the connections of clients. It answers probes: the process is alive, it is not ready,
// and why. Other requests wait, for as long as a refusal without a leader may take, and
// then are told to come again. Once the node serves, Open hands the waiting connections,
// unread, to the real server.
package startup
