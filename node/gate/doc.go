// Package gate bounds the connections whose other side has not yet proven that it knows the
// cluster's secret.
//
// In: accepted connections and, later, whether each one proved the secret. Out: which ones
// may go on. The ports between nodes use it: node/peer and node/gossip.
package gate
