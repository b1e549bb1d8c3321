// Package uptime measures time that goes on while the machine sleeps, where the system
// can tell: leases must not outlast themselves.
//
// In: nothing. Out: Elapsed. A leaf.
package uptime
