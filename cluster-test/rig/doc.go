// Package rig gives tests clusters of real processes: the program is built once
// for all tests of a package, nodes end with their test, and a test that fails
// shows the end of their logs.
package rig
