// Package observe makes a node observable: its log, which /logs/stream reads too, its own
// metrics, and the address that serves them together with profiles and probes.
//
// In: log records, and the parts of a node that supply figures (Watched). Out: lines,
// families of metrics, a Server. It changes nothing.
package observe
