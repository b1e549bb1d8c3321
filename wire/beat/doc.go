// Package beat aligns periodic work to shared moments. An idle process pays for waking up,
// not for what it then looks at.
//
// In: a period. Out: how long to sleep. Imports nothing.
package beat
