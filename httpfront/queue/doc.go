// Package queue admits searches (spec tasks-auth-ops-api 10.4): a number of them run, a
// number wait, and clients come before searches.
//
// In comes who searches (Client), out goes a Permit, which is given back, or handed on in
// the middle of a long search. Refusals are errors of api/apierr, all that it imports of
// ours. It knows no HTTP; only package routing imports it.
package queue
