// Package liquid runs templates in Liquid: text with {{ outputs }} and {% tags %}. A text
// enters at Parse; what it makes of values leaves at Render. It knows the tags and
// filters of the reference's templates and a few more that were always taken here.
//
// Templates are written by clients: they read nothing but the values they are given, and
// a Budget bounds what they take (spec write-api 13.5). The parser bounds how deep a
// template is nested, so that nothing here can run out of stack.
//
// The way of a template: tokens.go cuts the text, parse.go makes a tree of nodes
// (block.go, loop.go, statement.go: what each tag does), words.go and expression.go read
// what stands inside of braces, value.go and data.go say what values are, filter.go and
// the files of its families compute with them.
//
// It is written here because the library for it looks up methods by computed names: then
// the linker keeps every exported method of every type (docs/adr/0026).
package liquid
