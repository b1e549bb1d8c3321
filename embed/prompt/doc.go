// Package prompt renders documents and queries into the texts that embedders
// get: Liquid templates (embed/liquid), and JSON in which every text is one (spec write-api
// 13.5).
//
// Templates are written by clients: they cannot include files, see nothing but
// the document, and their output is bounded. A template enters at Parse or
// ParseJSON and is rendered with Document or Search; the results are safe for
// concurrent use.
package prompt
