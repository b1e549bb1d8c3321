// Package recipes has a test that carries out the recipes of CONTRIBUTING.md with made-up
// things. It compiles copies of the edited files in place of the sources, which stay as they
// are.
package recipes
