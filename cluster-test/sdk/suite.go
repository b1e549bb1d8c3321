package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// event is one line of `go test -json` (cmd/test2json).
type event struct {
	Action, Test, Output string
	Elapsed              float64
}

// result is what the suite did: the outcome of every test by name.
type result struct {
	outcome map[string]string
	output  map[string][]string
	took    time.Duration
}

// runSuite runs the tests that match the expression in the copy of the module.
func runSuite(ctx context.Context, dir, run string, env []string) (*result, error) {
	args := []string{"test", "-json", "-count=1", "-p=1", "-timeout=30m"}
	if run != "" {
		args = append(args, "-run="+run)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./integration/...")...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the suite: %w", err)
	}
	r, err := read(out)
	waitErr := cmd.Wait()
	if err != nil {
		return nil, fmt.Errorf("read the suite's events: %w", err)
	}
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return nil, fmt.Errorf("run the suite: %w", waitErr)
	}
	if len(r.outcome) == 0 {
		return nil, fmt.Errorf("the suite ran no test (%w):\n%s", waitErr, strings.Join(r.output[""], ""))
	}
	r.took = time.Since(begun)
	return r, nil
}

// read collects the events of all tests.
func read(in io.Reader) (*result, error) {
	r := &result{outcome: map[string]string{}, output: map[string][]string{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // what the compiler prints is no event
		}
		switch e.Action {
		case "output":
			r.output[e.Test] = append(r.output[e.Test], e.Output)
		case "run":
			r.outcome[e.Test] = "did not end"
		case "pass", "fail", "skip":
			if e.Test != "" {
				r.outcome[e.Test] = e.Action
			}
		}
	}
	return r, lines.Err()
}

// excuse tells why a test need not pass: it or a test below or above it is
// excused.
func excuse(test string) string {
	for name, reason := range excused {
		if test == name || strings.HasPrefix(test, name+"/") || strings.HasPrefix(name, test+"/") {
			return reason
		}
	}
	return ""
}

// failed are the top-level tests that did not pass and are not excused.
func (r *result) failed() []string {
	var tops []string
	for _, name := range r.names() {
		top, _, _ := strings.Cut(name, "/")
		if r.outcome[name] != "pass" && excuse(name) == "" && !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	return tops
}

// amend takes over the outcomes of a second run. Some tests give a request a
// deadline that a busy machine misses; a broken product fails twice.
func (r *result) amend(second *result) {
	for name, outcome := range second.outcome {
		r.outcome[name], r.output[name] = outcome, second.output[name]
	}
	r.took += second.took
}

// report prints the verdict and returns an error when the list of excuses and
// the outcomes disagree.
func (r *result) report(out io.Writer) error {
	var failed, idle []string
	passed, top, topPassed := 0, 0, 0
	for _, name := range r.names() {
		ok := r.outcome[name] == "pass"
		if ok {
			passed++
		}
		if !strings.Contains(name, "/") {
			top++
			if ok {
				topPassed++
			}
		}
		if !ok && excuse(name) == "" {
			failed = append(failed, name)
		}
	}
	for name := range excused {
		if r.outcome[name] == "pass" {
			idle = append(idle, name)
		}
	}
	slices.Sort(idle)
	for _, name := range failed {
		fmt.Fprintf(out, "%s: %s\n%s", r.outcome[name], name, strings.Join(r.output[name], ""))
	}
	for _, name := range idle {
		fmt.Fprintf(out, "passes although expected.go excuses it: %s\n", name)
	}
	fmt.Fprintf(out, "%d of %d tests pass, with subtests %d of %d, in %s; %d not expected to fail\n",
		topPassed, top, passed, len(r.outcome), r.took.Round(time.Second), len(failed))
	if len(failed)+len(idle) > 0 {
		return errors.New("the suite's outcome is not the expected one")
	}
	return nil
}

func (r *result) names() []string {
	names := make([]string, 0, len(r.outcome))
	for name := range r.outcome {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
