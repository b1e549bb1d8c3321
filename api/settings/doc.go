// Package settings is what a client may set on an index: the effective Settings,
// the Patch that changes some of them, and the table with one row per setting.
//
// A body comes in through ParsePatch, is checked by CheckSync, travels in a task,
// and is laid over the settings in force by Apply; Append shows them. Routes,
// bodies, details of tasks, dumps and what must be rebuilt (Effect) follow from the
// rows. Embedders are a setting with rules of their own: embedder*.go.
//
// The package imports the lower floors of api only; what it needs to know about
// words and templates comes in through Env. It keeps no state; Settings are shared
// and never modified in place.
package settings
