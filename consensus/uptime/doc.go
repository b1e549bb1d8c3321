// Package uptime measures time that goes on while the machine sleeps, on systems that can
// tell. Leases need it: a node that slept must not believe that its lease still runs.
//
// In: nothing. Out: Elapsed. Imports nothing of ours.
package uptime
