package syntax

// Limits of the source text (spec write-api 11). Depth counts nested expressions and
// blocks, outside and inside functions.
const (
	maxFunctions     = 30
	maxDepth         = 100
	maxFunctionDepth = 1_000
	// maxLinks bounds one chain of operators or properties, because such a chain makes a
	// deep tree without nesting in the text.
	maxLinks = 5_000
)
