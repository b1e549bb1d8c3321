// Package chaos kills, freezes, starves and misconfigures clusters of real
// processes and checks what they promise meanwhile: no acknowledged write is
// lost, searches go on, refusals come soon and say what to do.
//
// Most of them wait: 246 s of them use 39 s of CPU. A node that lost its disk gets its vote
// back after 10 to 12 s, in some tests more than once. Those that promise no times run in
// parallel, after the others.
//
// The tests are short enough for every `go test`; make chaos makes the endless ones
// long (-args -minutes 30 -seed 1; SHOAL_CHAOS=5m does it for any single test).
package chaos
