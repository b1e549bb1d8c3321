package restore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ownValues are the catalogue values that belong to this cluster and are not in dumps and
// snapshots, with the reason.
var ownValues = map[string]string{
	"slowLog":   "how closely its operators look at it now",
	"analytics": "what its operators want to know of their users",
	"standby":   "says whom this cluster follows",
	"import":    "says how far the reading of a dump has come",
	"keyRound":  "tells one change of a key from the next",
}

// A value that is missing in RestorableValues would be lost by snapshots and would survive the
// undo of an import. This test finds every name under which the coordinator keeps a value in
// the source: those of sharedValue, and those passed to wire.Value.
func TestEveryValueOfTheCatalogueIsRestored(t *testing.T) {
	files := sourcesOf(t)
	constants := map[string]string{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.ValueSpec); ok && len(s.Names) == len(s.Values) {
				for i, name := range s.Names {
					if text, ok := literal(s.Values[i]); ok {
						constants[name.Name] = text
					}
				}
			}
			return true
		})
	}
	found := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CompositeLit)
			if !ok || !strings.Contains(typeName(c.Type), "haredValue") && typeName(c.Type) != "Value" {
				return true
			}
			for _, e := range c.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok || !strings.EqualFold(typeName(kv.Key), "name") {
					continue
				}
				if text, ok := literal(kv.Value); ok {
					found[text] = true
				} else if text, ok := constants[typeName(kv.Value)]; ok {
					found[text] = true
				}
			}
			return true
		})
	}
	if len(found) < 5 {
		t.Fatalf("only %v were found: the source is written differently now", found)
	}
	for name := range found {
		if restored, own := slices.Contains(RestorableValues, name), ownValues[name] != ""; restored == own {
			t.Errorf("value %q: restored %v, the cluster's own %v", name, restored, own)
		}
	}
}

func sourcesOf(t *testing.T) (files []*ast.File) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "coordtest") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func literal(e ast.Expr) (string, bool) {
	b, ok := e.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(b.Value)
	return text, err == nil
}

// typeName is the last name of a type or selector.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	}
	return ""
}
