// Package task is the table of task kinds: the contents of a task of each kind, how it shares a
// batch with others, and its public "details" object in every state (spec write-api 14 and 17,
// tasks-auth-ops-api 2.4).
//
// The New functions build tasks, whose bodies travel through the log as opaque bytes. Decode
// returns the body for package schedule, which does the work. failure.go has the failures with
// their codes. To add a kind, add a file with its body and details, a row in table.go, and the
// work in schedule. All functions are pure. This package may import wire and api only.
package task
