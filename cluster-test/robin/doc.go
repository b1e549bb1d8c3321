// Package robin is one address for the clients of a cluster that gives every request
// to the next node, as the load balancers do that people put before one: whatever a
// client writes on one node it reads on another. Who gets requests can be changed
// while they come.
package robin
