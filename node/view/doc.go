// Package view is what a node sees of its cluster and of itself: who answers, what the
// leader works on, what the disks of the members have lost, how full they are, and what an
// operator should look after.
//
// In: the catalogue, signs of life, the warnings of each member, and what the leader says.
// Out: a placement.View, and the leader's work. It changes nothing.
package view
