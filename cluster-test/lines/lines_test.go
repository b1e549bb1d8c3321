package lines

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// operatorLines is the page on which a person judges every line that an operator can meet.
const operatorLines = "cluster-test/lines/testdata/operator.txt"

// said is one text that the program may show to an operator.
type said struct {
	path, kind, text string
	// advised: the text ends with what folder.Anew says.
	advised bool
}

// texts joins the literals of an expression; what is put in at run time is "…".
func texts(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		if x.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(x.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		l, left := texts(x.X)
		r, right := texts(x.Y)
		if x.Op != token.ADD || !left && !right {
			return "", false
		}
		if !left {
			l = "…"
		}
		if !right {
			r = "…"
		}
		return l + r, true
	case *ast.ParenExpr:
		return texts(x.X)
	}
	return "", false
}

// kindOf tells what becomes of the text of a call: "" is nothing that an operator reads.
// at is the argument that has it.
func kindOf(path string, call *ast.CallExpr) (kind string, at int) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", 0
	}
	of := ""
	switch x := selector.X.(type) {
	case *ast.Ident:
		of = x.Name
	case *ast.SelectorExpr:
		of = x.Sel.Name
	case *ast.CallExpr:
		of = "log" // log.With(...).Warn
	}
	node := strings.HasPrefix(path, "node/")
	switch name := selector.Sel.Name; {
	case node && (of == "fmt" && name == "Errorf" || of == "errors" && name == "New"):
		return "error", 0
	case node && of == "fmt" && (name == "Fprintf" || name == "Fprintln" || name == "Fprint"):
		return "print", 1
	case (name == "Warn" || name == "Error") && strings.HasSuffix(strings.ToLower(of), "log") || of == "Faults" && (name == "Warn" || name == "Error"):
		return strings.ToLower(name), 0
	}
	return "", 0
}

// sources lists the Go files of the project.
func sources(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == "bin" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ".go") {
			out = append(out, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// collect reads the source for all texts of an operator.
func collect(t *testing.T) []said {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	var all []said
	for _, path := range sources(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "cluster-test/") || strings.HasPrefix(path, "deploy/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.CallExpr:
				kind, at := kindOf(path, x)
				if kind == "" || len(x.Args) <= at {
					return true
				}
				text, ok := texts(x.Args[at])
				if !ok || strings.TrimSpace(text) == "" {
					return true
				}
				one := said{path: path, kind: kind, text: text}
				for _, a := range x.Args {
					if call, ok := a.(*ast.CallExpr); ok {
						one.advised = one.advised || strings.HasSuffix(name(call.Fun), "Anew")
					}
				}
				all = append(all, one)
			case *ast.KeyValueExpr: // ctl.Status{Text: ...}
				if key, ok := x.Key.(*ast.Ident); ok && key.Name == "Text" && strings.HasPrefix(path, "node/") {
					value := x.Value
					if call, ok := value.(*ast.CallExpr); ok && len(call.Args) > 0 {
						value = call.Args[0]
					}
					if text, ok := texts(value); ok {
						all = append(all, said{path: path, kind: "status", text: text})
					}
				}
			}
			return true
		})
	}
	return all
}

// name is the last identifier of a function's name.
func name(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// TestEveryLineOfAnOperatorWasReadByAPerson: a new or changed line fails until somebody
// has judged it on the page (what happened, what is safe, what to do) and renewed that.
func TestEveryLineOfAnOperatorWasReadByAPerson(t *testing.T) {
	var lines []string
	for _, s := range collect(t) {
		text := strings.ReplaceAll(s.text, "\n", `\n`)
		if s.advised {
			text += " [folder.Anew]"
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s", s.path, s.kind, text))
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(lines) < 300 {
		t.Fatalf("only %d lines were found: the collector has come apart", len(lines))
	}
	got := strings.Join(lines, "\n") + "\n"
	if *rewrite {
		if err := os.WriteFile(operatorLines, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	judged := map[string]bool{}
	page, err := os.ReadFile(operatorLines)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		judged[strings.TrimSuffix(line, "\n")] = true
	}
	for _, line := range lines {
		if !judged[line] {
			t.Errorf("nobody has judged (then: go test ./cluster-test/lines -run Operator -rewrite): %s", line)
		}
		delete(judged, line)
	}
	for line := range judged {
		t.Errorf("is said no more (go test ./cluster-test/lines -run Operator -rewrite): %s", line)
	}
}

var (
	// older is advice that loses acknowledged writes.
	older = regexp.MustCompile(`(?i)(restore|put back|bring back)\b[^:;.]*\b(folder|it|data|volume)\b[^:;.]*\b(copy|backup)|from (a|its|an older) copy`)
	// action is what an operator is told to do.
	action = regexp.MustCompile(`\b(start|give|use|empty|stop|free|raise|point|set|choose|write|remove|run|leave|make|let|correct|keep|wait|call|add|name|take|read|upgrade|try|restore|delete|look)\b`)
)

// TestNoLineAdvisesAnOlderCopyAndEachRefusalNamesAnAction: nine lines advised to restore a
// data folder from a copy, which loses what the node acknowledged since.
func TestNoLineAdvisesAnOlderCopyAndEachRefusalNamesAnAction(t *testing.T) {
	refusals := 0
	for _, s := range collect(t) {
		if older.MatchString(s.text) {
			t.Errorf("%s advises to use an older copy: %s", s.path, s.text)
		}
		if s.kind != "error" || !strings.HasPrefix(s.text, "data folder %s") && !strings.HasPrefix(s.text, "this node (%s)") && !strings.HasPrefix(s.text, "the disk of data folder") {
			continue
		}
		refusals++
		_, advice, _ := strings.Cut(s.text, ": ")
		if !s.advised && !action.MatchString(advice) {
			t.Errorf("%s does not say what to do: %s", s.path, s.text)
		}
	}
	if refusals < 15 {
		t.Errorf("only %d refusals were found: the collector has come apart", refusals)
	}
	for _, bad := range []string{"restore the folder from a copy, or start with an empty one", "restore it from a copy", "restore its data folder from a copy"} {
		if !older.MatchString(bad) {
			t.Errorf("the rule does not find %q", bad)
		}
	}
}
