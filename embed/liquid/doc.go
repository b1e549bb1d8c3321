// Package liquid runs templates in Liquid: text with {{ outputs }} and {% tags %}. Parse
// reads a template; Render runs it on values and returns the text. It knows the tags and
// filters of the reference's templates and a few more that this server has always accepted.
//
// Templates are written by clients. They read nothing but the values they are given, and a
// Budget bounds their work and output (spec write-api 13.5). The parser bounds the nesting
// of a template, so that nothing here can overflow the stack.
//
// The path of a template: tokens.go cuts the text, parse.go makes a tree of nodes
// (block.go, loop.go, statement.go: what each tag does), words.go and expression.go read
// the inside of braces, value.go and data.go define values, filter.go and the files of its
// families compute with them.
//
// It is written here because the existing library looks up methods by computed names, which
// makes the linker keep every exported method of every type (docs/adr/0026).
package liquid
