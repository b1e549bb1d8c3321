package syntax

// Limits of the source text (spec write-api 11). Depth counts nested expressions
// and blocks, outside and inside of functions.
const (
	maxFunctions     = 30
	maxDepth         = 100
	maxFunctionDepth = 1_000
	// maxLinks is the length of one chain of operators or properties: it makes a
	// deep tree without nesting in the text.
	maxLinks = 5_000
)
