// Package view is what a node sees of its cluster and of itself: who answers, what the disks
// of the members have lost, how full they are, and what an operator should look after.
//
// In: the catalogue, signs of life, and the warnings of each member. Out: a placement.View.
// It changes nothing.
package view
