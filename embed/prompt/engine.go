package prompt

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/osteele/liquid/filters"
	"github.com/osteele/liquid/parser"
	"github.com/osteele/liquid/render"
	"github.com/osteele/liquid/tags"
)

// errNoFiles is what every attempt to read another template gets.
var errNoFiles = errors.New("liquid: templates cannot be included")

type noFiles struct{}

func (noFiles) ReadTemplate(string) ([]byte, error) { return nil, errNoFiles }

// engine is a configuration of the library that reads nothing but its input and
// counts what it does. It serves one template at a time.
type engine struct {
	cfg    render.Config
	budget *budget
}

// Engines are kept because making one takes longer than most templates. Those that
// compile do not know our own tags, those that render do.
var (
	compilers = sync.Pool{New: func() any { return newEngine() }}
	renderers = sync.Pool{New: func() any { return newRenderer() }}
)

// Names that no template can write: of the tag that counts the rounds of loops, of
// the block that stands in for capture, and of the variable that holds the budget.
const (
	roundTag     = "shoal_round"
	captureBlock = "shoal_capture"
	budgetName   = "\x00budget"
)

func newEngine() *engine {
	e := &engine{cfg: render.NewConfig()}
	filters.AddStandardFilters(boundedFilters{cfg: &e.cfg, budget: func() *budget { return e.budget }})
	tags.AddStandardTags(&e.cfg)
	e.cfg.UnregisterTag("include")
	e.cfg.UnregisterTag("render")
	e.cfg.TemplateStore = noFiles{}
	return e
}

// newRenderer is an engine with the tags that templates cannot name.
func newRenderer() *engine {
	e := newEngine()
	e.cfg.AddTag(roundTag, func(string) (func(io.Writer, render.Context) error, error) {
		return func(_ io.Writer, ctx render.Context) error {
			budgetOf(ctx).step(1)
			return nil
		}, nil
	})
	e.cfg.AddBlock(captureBlock).Compiler(func(n render.BlockNode) (func(io.Writer, render.Context) error, error) {
		name := n.Args
		return func(_ io.Writer, ctx render.Context) error {
			w := &captured{budget: budgetOf(ctx)}
			if err := ctx.RenderChildren(w); err != nil {
				return err
			}
			ctx.Set(name, w.String())
			return nil
		}, nil
	})
	return e
}

func budgetOf(ctx render.Context) *budget { return ctx.Get(budgetName).(*budget) }

// captured collects what a block makes.
type captured struct {
	strings.Builder
	budget *budget
}

func (c *captured) Write(p []byte) (int, error) {
	c.budget.spend(len(p))
	return c.Builder.Write(p)
}

func (c *captured) WriteString(s string) (int, error) {
	c.budget.spend(len(s))
	return c.Builder.WriteString(s)
}

// compile makes the tree of a template. Loops count their rounds, and captures what
// they collect: both are bounded in the tree, since the library has no bounds.
func compile(source string) (render.Node, error) {
	if len(source) > maxSource {
		return nil, exceeded("it has %d bytes, at most %d are allowed", len(source), maxSource)
	}
	if depth := nesting(source); depth > maxNesting {
		return nil, exceeded("its blocks are nested more than %d deep", maxNesting)
	}
	e := compilers.Get().(*engine)
	defer compilers.Put(e)
	root, fault := e.cfg.Compile(source, parser.SourceLoc{})
	if fault != nil {
		if c := fault.Cause(); c != nil {
			return nil, c
		}
		return nil, fault
	}
	return root, bound(root)
}

// bound replaces what has no bound below a node.
func bound(n render.Node) error {
	switch n := n.(type) {
	case *render.SeqNode:
		return boundAll(n.Children)
	case *render.BlockNode:
		if err := boundAll(n.Body); err != nil {
			return err
		}
		for _, c := range n.Clauses {
			if err := bound(c); err != nil {
				return err
			}
		}
		if n.Name == "for" || n.Name == "tablerow" {
			count, err := part("{% " + roundTag + " %}")
			if err != nil {
				return err
			}
			n.Body = append([]render.Node{count}, n.Body...)
		}
	}
	return nil
}

func boundAll(nodes []render.Node) error {
	for i, n := range nodes {
		if err := bound(n); err != nil {
			return err
		}
		block, ok := n.(*render.BlockNode)
		if !ok || block.Name != "capture" {
			continue
		}
		made, err := part("{% " + captureBlock + " " + strings.TrimSpace(block.Args) + " %}{% end" + captureBlock + " %}")
		if err != nil {
			return err
		}
		made.(*render.BlockNode).Body = block.Body
		nodes[i] = made
	}
	return nil
}

// part compiles one tag or block of our own.
func part(source string) (render.Node, error) {
	e := renderers.Get().(*engine)
	defer renderers.Put(e)
	root, fault := e.cfg.Compile(source, parser.SourceLoc{})
	if fault != nil {
		return nil, fmt.Errorf("liquid: %w", fault)
	}
	seq, ok := root.(*render.SeqNode)
	if !ok || len(seq.Children) != 1 {
		return nil, fmt.Errorf("liquid: %q is not one part", source)
	}
	return seq.Children[0], nil
}

var blockTag = regexp.MustCompile(`\{%-?\s*(end)?(if|unless|case|for|tablerow|capture)\b`)

// nesting is how deep the blocks of a template are nested, or more.
func nesting(source string) int {
	depth, deepest := 0, 0
	for _, m := range blockTag.FindAllStringSubmatchIndex(source, -1) {
		if m[2] >= 0 {
			depth = max(0, depth-1)
			continue
		}
		depth++
		deepest = max(deepest, depth)
	}
	return deepest
}

// renderTree renders a tree with what is left of a budget.
func renderTree(b *budget, root render.Node, vars map[string]any) (out string, err error) {
	e := renderers.Get().(*engine)
	e.budget = b
	defer func() {
		e.budget = nil
		renderers.Put(e)
		if b.fault != nil {
			out, err = "", b.fault
		}
	}()
	defer caught(&err)
	vars[budgetName] = b
	w := &boundedText{budget: b}
	if fault := render.Render(root, w, vars, e.cfg); fault != nil {
		if c := fault.Cause(); c != nil {
			return "", c
		}
		return "", fault
	}
	return w.String(), nil
}
