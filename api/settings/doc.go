// Package settings holds what a client may set on an index: the effective Settings, the
// Patch that changes some of them, and a table with one row per setting.
//
// ParsePatch reads a body and CheckSync checks it. The patch travels in a task; Apply lays
// it over the settings in force; Append shows the result. Routes, bodies, task details,
// dumps and the need to rebuild (Effect) follow from the rows. Embedders are a setting with
// rules of their own: embedder*.go.
//
// The package imports the lower packages of api only. Env supplies what it needs to know
// about words and templates. It keeps no state. Settings are shared and never modified in
// place.
package settings
