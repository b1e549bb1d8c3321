package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryTableIsInOneGeneration reads the constants from the source. A table in none would
// outlive its generation, and its byte must not be that of another.
func TestEveryTableIsInOneGeneration(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []Table
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Table") {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		declared = append(declared, Table(text[0]))
		return true
	})
	listed := append(slices.Concat(DocTables, TextTables, FacetTables, VectorTables), TableColumns)
	slices.Sort(declared)
	slices.Sort(listed)
	if !slices.Equal(declared, listed) || len(slices.Compact(slices.Clone(declared))) != len(declared) {
		t.Errorf("declared %q, in generations %q", declared, listed)
	}
}
