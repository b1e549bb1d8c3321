// Package beat aligns periodic work of a process to shared moments, because an idle process
// pays for each wake-up, not for the checks that follow it.
//
// It turns a period into the time to sleep. It imports nothing.
package beat
