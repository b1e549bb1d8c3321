// Package voters plans which members of a Raft group vote. It is pure: it reads no clock and
// calls nobody.
//
// In: what the leader knows of each member. Out: the next change of the voters, if any. An
// acknowledged entry is on the disks of more than half of the voters, so the number of votes
// says how many disks may be lost. Three rules keep it (docs/adr/0031):
//
//   - The log records how many votes the cluster keeps (wire.ValueVotes). The number is
//     raised before a vote is given, and lowered only by the entry with which an operator
//     removes a member.
//   - A vote is taken away only while there are more votes than that.
//   - A vote is given only to a node that has caught up. A replacement gets its vote
//     before the node that it replaces loses one.
//
// Votes are spread over zones while zones count (wire.Zoned): a vote is given in a zone with
// the fewest of them, taken in one with the most, and moves when a zone has two more than
// another one that could have it.
//
// Draining moves copies of shards and no votes: a node that drains is sound, and votes
// until it is removed.
package voters
