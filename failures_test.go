package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	failureRow = regexp.MustCompile(`(?m)^\| ([0-9]+) \|.*$`)
	testName   = regexp.MustCompile("`(Test\\w+)`")
	packageOf  = regexp.MustCompile("`\\./([a-z/-]+)`")
	testFunc   = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestEveryFailureNamesTestsThatExist reads the page that says how we prove that failures
// are survived. The page has each row, and each test that it names is in one of the
// packages that the row names.
func TestEveryFailureNamesTestsThatExist(t *testing.T) {
	in := map[string][]string{} // test -> folders
	for _, path := range files(t, "_test.go") {
		folder := filepath.ToSlash(filepath.Dir(path))
		for _, m := range testFunc.FindAllStringSubmatch(read(t, path), -1) {
			in[m[1]] = append(in[m[1]], folder)
		}
	}
	rows := failureRow.FindAllStringSubmatch(read(t, "docs/failures.md"), -1)
	if len(rows) != 28 {
		t.Errorf("docs/failures.md has %d rows of 28", len(rows))
	}
	for i, row := range rows {
		if row[1] != fmt.Sprint(i+1) {
			t.Errorf("docs/failures.md: row %s stands at place %d", row[1], i+1)
		}
		folders := map[string]bool{}
		for _, m := range packageOf.FindAllStringSubmatch(row[0], -1) {
			folders[m[1]] = true
		}
		names := testName.FindAllStringSubmatch(row[0], -1)
		if len(names) == 0 && !strings.Contains(row[0], "**no test") {
			t.Errorf("docs/failures.md: row %s names no test and does not say so", row[1])
		}
		for _, m := range names {
			if !slices.ContainsFunc(in[m[1]], func(f string) bool { return folders[f] }) {
				t.Errorf("docs/failures.md: row %s names %s, which is in %q and not in the packages of the row", row[1], m[1], in[m[1]])
			}
		}
	}
}
