// Package liquid runs templates in Liquid: text with {{ outputs }} and {% tags %}. Parse
// reads a template; Render runs it on values and returns the text. It knows the tags and
// filters of the reference's templates and treats each value as that one does, so that an
// embedder gets the same texts.
//
// Templates are written by clients. They read nothing but the values they are given, and a
// Budget bounds their work and output (spec write-api 13.5). The parser bounds the nesting
// of a template, so that nothing here can overflow the stack.
//
// The path of a template: scanner.go reads the inside of braces, elements.go cuts the text,
// parse.go makes a tree of nodes (block.go, condition.go, loop.go, statement.go: what each
// tag does), value.go defines values, compare.go compares them, expression.go finds them,
// filter.go and the files of its families compute with them.
//
// It is written here because the existing library looks up methods by computed names, which
// makes the linker keep every exported method of every type (docs/adr/0026).
package liquid
