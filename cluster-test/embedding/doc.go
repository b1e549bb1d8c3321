// Package embedding tests clusters whose documents get their vectors from an embedder
// outside: what it is asked, what its bad days do, and what searches find meanwhile. The
// embedders are HTTP servers of the test (server_test.go); one test runs a real model, if
// its Python package is installed (model_test.go).
package embedding
