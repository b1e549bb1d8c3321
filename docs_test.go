package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// files lists the files of the project with an ending.
func files(t *testing.T, ending string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == "bin" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ending) {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	heading     = regexp.MustCompile(`(?m)^#+ ((?:Appendix )?[0-9A-Z]+(?:\.[0-9]+)*)\.? `)
	brokenLine  = regexp.MustCompile(`\n\s*//\s?`)
	citation    = regexp.MustCompile(`\b(?:spec ([a-z][a-z-]*)|(architecture|distribution|engine-notes)) ([0-9]+(?:\.[0-9]+)*)((?:(?:,| and|;| or) [0-9]+(?:\.[0-9]+)+)*)`)
	nextSection = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)
)

// sections are the numbers with which the headings of a page begin.
func sections(t *testing.T, path string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(read(t, path), -1) {
		out[m[1]] = true
	}
	return out
}

// TestCitationsResolve: a comment that cites a section of the specification or of
// the architecture names one that is there.
func TestCitationsResolve(t *testing.T) {
	pages := map[string]map[string]bool{"architecture": sections(t, "docs/design/architecture.md")}
	for _, path := range files(t, ".md") {
		if dir, name := filepath.Split(path); dir == "docs/spec/" {
			pages["spec "+strings.TrimSuffix(name, ".md")] = sections(t, path)
		}
	}
	cited := 0
	for _, path := range files(t, ".go") {
		if path == "docs_test.go" {
			continue
		}
		text := brokenLine.ReplaceAllString(read(t, path), " ")
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			cited++
			page := m[2]
			if m[1] != "" {
				page = "spec " + m[1]
			}
			for _, n := range append([]string{m[3]}, nextSection.FindAllString(m[4], -1)...) {
				switch have, ok := pages[page]; {
				case !ok:
					t.Errorf("%s cites %q: there is no such page", path, m[0])
				case !have[n]:
					t.Errorf("%s cites %q: the page has no section %s", path, m[0], n)
				}
			}
		}
	}
	if cited < 200 {
		t.Errorf("%d citations found: the pattern has come apart", cited)
	}
}

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	anchor = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced = regexp.MustCompile("(?s)```.*?```|``.*?``|`[^`\n]*`")
)

// anchors are the names that a page's headings have in links.
func anchors(text string) []string {
	var out []string
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		out = append(out, name)
	}
	return out
}

// TestLinksBetweenPages: a link from one page to a file or a heading finds it.
func TestLinksBetweenPages(t *testing.T) {
	for _, page := range files(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), "``"), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			path, name, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
				continue
			}
			if name != "" && !slices.Contains(anchors(read(t, target)), name) {
				t.Errorf("%s links to %s: no such heading", page, m[1])
			}
		}
	}
}

// TestPagesSpeakOfTheProjectAlone: a reader who has only the project can follow everything
// in it.
func TestPagesSpeakOfTheProjectAlone(t *testing.T) {
	foreign := regexp.MustCompile(`shared/(design|spec)/|[^a-z]style\.md|distribution\.md|engine-notes|dependencies\.md|\bour mission\b`)
	for _, path := range slices.Concat(files(t, ".md"), files(t, ".go")) {
		if path == "docs_test.go" {
			continue
		}
		text := read(t, path)
		if !foreign.MatchString(text) {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if m := foreign.FindString(line); m != "" {
				t.Errorf("%s:%d: %s", path, i+1, m)
			}
		}
	}
}

// codeName is something in the code that a page names: folder and identifier.
var codeName = regexp.MustCompile("`([a-z]+(?:/[a-z]+)*)\\.([A-Za-z]+)[A-Za-z.]*`")

// The code that enforces a limit is where the page of limits says.
func TestLimitsNameWhatEnforcesThem(t *testing.T) {
	checked := 0
	for _, line := range strings.Split(read(t, "docs/limits.md"), "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 4 || !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, m := range codeName.FindAllStringSubmatch(cells[2], -1) {
			checked++
			if !declares(t, m[1], m[2]) {
				t.Errorf("docs/limits.md names %s, which package %s does not declare", m[0], m[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d names were found", checked)
	}
}

// declares tells whether a package declares a name.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	parsed, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\s*(?:const |var |type |func )?(?:\([^)]*\) )?` + regexp.QuoteMeta(name) + `\b`)
	for _, path := range parsed {
		if !strings.HasSuffix(path, "_test.go") && declared.MatchString(read(t, path)) {
			return true
		}
	}
	return false
}

// ownName is a name with the folder of its package, or the end of that folder's path.
var ownName = regexp.MustCompile("`((?:[a-z0-9]+/)*([a-z0-9]+))\\.([A-Z][A-Za-z]+)[A-Za-z.()]*`")

// TestPagesNameWhatTheCodeDeclares: a test, or an exported name of a package, that stands
// in backquotes on a page is there. Names of other modules are not looked at.
func TestPagesNameWhatTheCodeDeclares(t *testing.T) {
	folders, tests := map[string][]string{}, map[string]bool{} // by last element; all tests
	for _, path := range files(t, ".go") {
		folder := filepath.ToSlash(filepath.Dir(path))
		if base := filepath.Base(folder); !slices.Contains(folders[base], folder) {
			folders[base] = append(folders[base], folder)
		}
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range testFunc.FindAllStringSubmatch(read(t, path), -1) {
				tests[m[1]] = true
			}
		}
	}
	checked := 0
	for _, page := range files(t, ".md") {
		text := read(t, page)
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			if checked++; !tests[m[1]] {
				t.Errorf("%s names %s: there is no such test", page, m[1])
			}
		}
		for _, m := range ownName.FindAllStringSubmatch(text, -1) {
			var own []string
			for _, folder := range folders[m[2]] {
				if strings.HasSuffix("/"+folder, "/"+m[1]) {
					own = append(own, folder)
				}
			}
			if len(own) == 0 && !strings.Contains(m[1], "/") {
				continue
			}
			if checked++; !slices.ContainsFunc(own, func(folder string) bool { return declares(t, folder, m[3]) }) {
				t.Errorf("%s names %s: no package of %q declares it", page, m[0], own)
			}
		}
	}
	if checked < 80 {
		t.Errorf("only %d names were found", checked)
	}
}

// goFile is a source file that a page names with its folder.
var goFile = regexp.MustCompile("`((?:[a-z0-9]+/)+[a-z0-9_]+\\.go)`")

// Source files that pages name exist. Files move, and pages are not always updated.
func TestPagesNameFilesThatExist(t *testing.T) {
	for _, page := range files(t, ".md") {
		for _, m := range goFile.FindAllStringSubmatch(read(t, page), -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
}

// TestDecisionsHaveNumbersOfTheirOwn: no two pages of docs/adr have the same number, and
// each page's title begins with that of its name.
func TestDecisionsHaveNumbersOfTheirOwn(t *testing.T) {
	pages, err := filepath.Glob("docs/adr/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(len(pages), err)
	}
	seen := map[string]string{}
	for _, page := range pages {
		number, _, _ := strings.Cut(filepath.Base(page), "-")
		if other, twice := seen[number]; twice {
			t.Errorf("%s and %s have one number", page, other)
		}
		seen[number] = page
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if want := "# " + strings.TrimLeft(number, "0") + ". "; !strings.HasPrefix(string(text), want) {
			t.Errorf("%s does not begin with %q", page, want)
		}
	}
}

// conflict matches a line that a merge leaves where two sides changed the same text.
var conflict = regexp.MustCompile(`(?m)^(<<<<<<<|=======|>>>>>>>)( .*)?$`)

// TestNoConflictIsLeftInAFile: a conflict once stayed in docs/formats.md for days.
func TestNoConflictIsLeftInAFile(t *testing.T) {
	for _, path := range slices.Concat(files(t, ".md"), files(t, ".go"), files(t, ".yaml"), files(t, "Makefile")) {
		if m := conflict.FindString(read(t, path)); m != "" {
			t.Errorf("%s has %q", path, m)
		}
	}
}
