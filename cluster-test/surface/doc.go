// Package surface sends at least one request to every route of the API, with every
// parameter and every member of every body, changes and resets every setting, and
// makes a task of every kind, on three nodes in turn.
//
// What there is to exercise is read from /openapi.json, which is made from the
// tables that serve requests: a route, parameter, member, setting or kind that is
// new fails the test until script_test.go or settings_test.go has a line for it.
// Error codes are counted in httpfront (TestEveryCode), wrong values there too.
package surface
