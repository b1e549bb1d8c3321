package recipes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// recipe carries out a recipe of CONTRIBUTING.md with something made up.
type recipe struct {
	name  string // as the page has it
	edits []edit
	// tests are packages whose tests then pass. They fail if the edit `forgotten` is left
	// out. builds are packages that compile.
	tests, builds string
	forgotten     int
}

// nothing is forgotten.
const nothing = -1

// root is the root of the project, from here.
const root = "../.."

// edit adds text before the only occurrence of a text in a file; to a file that is not there
// if before is "".
type edit struct{ file, before, text string }

var recipes = []recipe{
	{
		name: "A search parameter", tests: "./api/parameter", forgotten: 2,
		edits: []edit{
			{"api/search.go", "	ShowPerformanceDetails  bool\n}", "	MadeUp bool\n"},
			{"api/apierr/codes_request.go", "	CodeMissingAPIKeyActions ", "	CodeInvalidSearchMadeUp = Declare(\"invalid_search_made_up\")\n"},
			{"api/parameter/search.go", "	optionalText(\"distinct\",", "	flag(\"madeUp\", apierr.CodeInvalidSearchMadeUp, func(r *api.SearchRequest) *bool { return &r.MadeUp }),\n"},
			{"api/parameter/parameter_test.go", "	\"media\": ", "	\"madeUp\": {`true`, \"madeUp=true\"},\n"},
		},
	},
	{
		name: "A ranking rule", tests: "./query/rule ./shard/rank/rules", forgotten: 2,
		edits: []edit{
			{"query/rule/table.go", "	// Kinds is one more than the last kind.", "	MadeUp\n"},
			{"query/rule/table.go", "	Random: {},\n", "	MadeUp: {of: []string{\"madeUp\"}, label: \"made up\", detail: \"madeUp\", edge: sized(func(*CostContext) uint32 { return 1 })},\n"},
			{"shard/rank/rules/table.go", "		rule.ExactWords: ", "		rule.MadeUp: {open: byPaths, edges: oneEdge},\n"},
			{"api/settings/ranking_rules.go", "\"sort\", \"exactness\"}\n", "\"madeUp\", "},
		},
	},
	{
		name: "A setting", tests: "./api/settings", forgotten: 1,
		edits: []edit{
			{"api/settings/made_up.go", "", `package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
)

var madeUp = row[bool]{
	Name: "madeUp", Path: "made-up", Verb: "PUT", Code: apierr.Declare("invalid_settings_made_up"),
	decode: decode.Bool,
	write:  decode.WriteBool,
	slot:   func(s *Settings) *bool { return &s.MadeUp },
	unset:  func(s *Settings) bool { return !s.MadeUp },
}.setting()
`},
			{"api/settings/settings.go", "	// Chat is the setting as clients", "	MadeUp bool `json:\"madeUp,omitempty\"`\n"},
			{"api/settings/settings.go", "expiryAttribute,\n)", "madeUp, "},
			{"api/settings/made_up_test.go", "", `package settings

import "testing"

func TestTheMadeUpSettingIsReadAppliedAndShown(t *testing.T) {
	s := change(t, Default(), ` + "`" + `{"madeUp":true}` + "`" + `)
	for _, row := range Table() {
		if row.Name == "madeUp" && string(row.AppendPublic(nil, s)) == "true" {
			return
		}
	}
	t.Error("the setting is not shown")
}
`},
		},
	},
	{
		name: "A task kind", tests: "./coordinator/task", builds: "./coordinator/schedule", forgotten: nothing,
		edits: []edit{
			{"coordinator/task/table.go", "	DynamicRulesUpdate wire.Kind", "	MadeUp wire.Kind = \"madeUp\"\n"},
			{"coordinator/task/table.go", "		{Name: DynamicRulesUpdate,", "		{Name: MadeUp, Class: ClassIndex, Plain: true},\n"},
			{"coordinator/task/made_up.go", "", `package task

import "shoal/wire"

// NewMadeUp makes a task.
func NewMadeUp(uid string) *wire.Task { return onIndex(MadeUp, uid, struct{}{}, nil) }
`},
			{"coordinator/schedule/executor.go", "		task.Export: ", "		task.MadeUp: {step: \"making up\", run: (*batchRun).madeUp},\n"},
			{"coordinator/schedule/made_up.go", "", `package schedule

import (
	"context"

	"shoal/coordinator/task"
	"shoal/wire"
)

func (r *batchRun) madeUp(context.Context) (*outcome, error) {
	return &outcome{results: []wire.TaskResult{succeed(r.tasks[0], task.NewMadeUp(*r.tasks[0].IndexUID).Details)}}, nil
}
`},
		},
	},
}

// overlay writes the edited files beside the sources and returns the file that tells go where
// they are. forgotten is an edit to leave out.
func (r *recipe) overlay(t *testing.T, forgotten int) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for i, e := range r.edits {
		if i == forgotten {
			continue
		}
		text, edited := texts[e.file]
		if !edited && e.before != "" {
			text = read(t, e.file)
		}
		if n := strings.Count(text, e.before); e.before != "" && n != 1 {
			t.Fatalf("%s has %q %d times", e.file, e.before, n)
		}
		texts[e.file] = strings.Replace(text, e.before, e.text+e.before, 1)
	}
	replace := map[string]string{}
	for file, text := range texts {
		path := filepath.Join(folder, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(base, file)] = path
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(path, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRecipesAreTrue follows the recipes of CONTRIBUTING.md that end in rows of tables: the
// tests beside the tables then pass, and fail if a step is left out. Those for a route, a
// stored form and a message have tests that read the sources (cluster-test/surface,
// shard/store, wire).
func TestRecipesAreTrue(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a dozen packages")
	}
	page := read(t, "CONTRIBUTING.md")
	for _, r := range recipes {
		t.Run(strings.ReplaceAll(r.name, " ", "-"), func(t *testing.T) {
			if !strings.Contains(page, "* **"+r.name+"**:") {
				t.Errorf("CONTRIBUTING.md has no such recipe")
			}
			all := r.overlay(t, nothing)
			if out, err := run("test", all, r.tests, "-short", "-run", "Row|Setting|Parameter|Kind|MadeUp"); err != nil {
				t.Errorf("with every step: %v\n%s", err, out)
			}
			if r.builds != "" {
				if out, err := run("build", all, r.builds); err != nil {
					t.Errorf("with every step: %v\n%s", err, out)
				}
			}
			if r.forgotten == nothing {
				return
			}
			if out, err := run("test", r.overlay(t, r.forgotten), r.tests, "-short", "-run", "Row|Setting|Parameter|Kind|MadeUp"); err == nil {
				t.Errorf("without the edit of %s its tests pass\n%s", r.edits[r.forgotten].file, out)
			}
		})
	}
}

// run calls go with an overlay, for packages in words.
func run(what, overlay, packages string, args ...string) (string, error) {
	args = append([]string{what, "-tags", "hashicorpmetrics,grpcnotrace", "-overlay", overlay}, args...)
	cmd := exec.Command("go", append(args, strings.Fields(packages)...)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
