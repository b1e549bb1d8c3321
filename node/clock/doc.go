// Package clock is a node's clock. With the build tag skew it is wrong by a duration from
// the environment, for tests of clusters whose clocks differ.
package clock
