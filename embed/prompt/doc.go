// Package prompt renders documents and queries into texts for embedders. A template is
// Liquid (embed/liquid), or JSON in which every text is a Liquid template (spec write-api
// 13.5).
//
// Templates are written by clients: they cannot include files, see nothing but the
// document, and their output is bounded. Parse and ParseJSON read a template; Document and
// Search render it. The results are safe for concurrent use.
package prompt
