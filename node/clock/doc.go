// Package clock is what a node takes for the time. With the build tag skew it is wrong
// by what the environment says, for tests of clusters whose clocks differ.
package clock
