// Package task is the table of task kinds: what a task of each kind carries,
// how it may ride with others in a batch, and the public "details" object at
// every stage of its life (spec write-api 14 and 17, tasks-auth-ops-api 2.4).
//
// In: what a client asked for (New...), which travels through the log as opaque
// bytes. Out: its body again (Decode) for package schedule, which does the work,
// details for clients, and failures with their codes (failure.go). To add a kind:
// a file with its body and details, a row in table.go, and what schedule does.
// Everything here is a pure function. May import wire and api only.
package task
