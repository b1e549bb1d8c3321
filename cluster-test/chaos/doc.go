// Package chaos kills, freezes, starves and misconfigures clusters of real
// processes and checks what they promise meanwhile: no acknowledged write is
// lost, searches go on, refusals come soon and say what to do.
//
// Most of them wait: for votes that move, for copies that are fetched. Those that promise no
// times run in parallel, after the others.
//
// The tests are short enough for every `go test`; make chaos makes the endless ones
// long (-args -minutes 30 -seed 1; SHOAL_CHAOS=5m does it for any single test).
package chaos
