// Package beat lets everything that looks around once in a while do so at the same
// moments: a process that has nothing to do pays for waking up, not for what it looks at.
//
// In: how often. Out: for how long to sleep. Imports nothing.
package beat
