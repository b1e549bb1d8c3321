// Package metrics measures requests: counters and times for Prometheus, the outcomes of the
// last minutes, the times of searches, and the newest slow requests.
//
// In: each answered request (Requests.Answered, Requests.Unmatched) and each slow one. Out:
// figures. It decides nothing. It imports api.
package metrics
