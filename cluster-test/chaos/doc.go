// Package chaos kills, freezes, starves and misconfigures clusters of real
// processes and checks what they promise meanwhile: no acknowledged write is
// lost, searches go on, refusals come soon and say what to do.
//
// The tests are short enough for every `go test`; SHOAL_CHAOS (make chaos) makes
// them long: it is the time that each of the endless ones goes on, like 5m.
package chaos
