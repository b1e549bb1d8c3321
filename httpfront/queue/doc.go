// Package queue admits searches (spec tasks-auth-ops-api 10.4). Some run, some wait, and
// both numbers are bounded. Turns are shared out between clients, not between searches.
//
// In: the Client that searches. Out: a Permit, which its holder gives back, or hands on in
// the middle of a long search. Refusals are errors of api/apierr, its only import of ours.
// It knows no HTTP; only package routing imports it.
package queue
