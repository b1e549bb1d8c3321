// Package span tells where the time of a request goes.
//
// A request that is watched carries a Timeline in its context, for the slow log, or a
// trace of OpenTelemetry, or both; what works on it names its pieces with Start, or with
// Charge where a piece is too small or too often for a trace. For work that nobody
// watches all of it does next to nothing. Leaving and Arriving carry a trace from node
// to node.
//
// The package knows nothing of ours; node decides whether there is a tracer and where
// its spans go.
package span
