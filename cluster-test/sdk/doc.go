// Command sdk runs the test suite of a public client library, the Go SDK of the
// API's reference, against a cluster of three nodes (make sdk).
//
// Its tests write, poll and search one after the other on what they believe to
// be one server. Here every request goes to the next node (package robin), so that
// each test also asks whether a write on one node shows on the two others.
//
// The module comes from the Go module proxy at a pinned version and checksum, is
// copied to a temporary folder, and nothing of it stays. expected.go names the
// tests that need not pass; every other test that ends otherwise than "pass"
// fails the run when it fails twice, and so does a named one that passes, so that
// the list stays true.
package main
