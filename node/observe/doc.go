// Package observe is how a node is watched: its log, which /logs/stream reads too, the
// metrics that are its own, and the address that serves them with profiles and probes.
//
// In: records, and the parts of a node that figures are read of (Watched). Out: lines,
// families of metrics, a Server. It changes nothing.
package observe
