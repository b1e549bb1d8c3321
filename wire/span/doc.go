// Package span measures where the time of a request goes.
//
// A watched request has a Timeline in its context, for the slow log, or an OpenTelemetry trace,
// or both. Code marks spans of its work with Start, or with Charge where a span is too small or
// too frequent for a trace. For unwatched work all of it does almost nothing. Leaving and
// Arriving transfer a trace between nodes.
//
// The package imports none of our packages. node decides whether there is a tracer and where
// its spans go.
package span
