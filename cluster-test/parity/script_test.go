package parity

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// step is one request of a script and what its answer must say.
type step struct {
	line         int
	method, path string
	body         string
	// status is what it must answer; 0: anything below 500.
	status int
	// detached: the next step does not wait for the task that this one makes.
	detached bool
	checks   []check
}

// check is one claim about an answer: the value at a dotted path is want, as its
// JSON is written, or there is none.
type check struct {
	line   int
	path   string
	want   string
	absent bool
}

// readScript reads testdata. A line with a method and a path begins a step; the
// lines after it are its body, up to the claims:
//
//	? 400                 the status
//	= facetStats.v {..}   this value, members in this order
//	! facetStats          no such member
//	~                     do not wait for the task
//
// A line that begins with # is a comment. {task} in a request stands for the uid
// of the last task that was made.
func readScript(t *testing.T, file string) []step {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		method, path, _ := strings.Cut(line, " ")
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.ToUpper(method) == method && strings.HasPrefix(path, "/") {
			steps = append(steps, step{line: i + 1, method: method, path: path})
			continue
		}
		if len(steps) == 0 {
			t.Fatalf("%s:%d: no request before this line", filepath.Base(file), i+1)
		}
		if err := steps[len(steps)-1].add(i+1, line); err != nil {
			t.Fatalf("%s:%d: %v", filepath.Base(file), i+1, err)
		}
	}
	return steps
}

// add takes one line below a request.
func (s *step) add(number int, line string) error {
	rest := strings.TrimSpace(line[1:])
	switch line[0] {
	case '?':
		status, err := strconv.Atoi(rest)
		s.status = status
		return err
	case '~':
		s.detached = true
	case '!':
		s.checks = append(s.checks, check{line: number, path: rest, absent: true})
	case '=':
		path, want, _ := strings.Cut(rest, " ")
		if !json.Valid([]byte(want)) {
			return fmt.Errorf("%q is no JSON", want)
		}
		s.checks = append(s.checks, check{line: number, path: path, want: want})
	default:
		s.body += line + "\n"
	}
	return nil
}

// at returns the value at a dotted path: names of members, indexes of elements.
func at(answer []byte, path string) (value json.RawMessage, found bool) {
	value = answer
	if path == "." {
		return value, true
	}
	for _, name := range strings.Split(path, ".") {
		var object map[string]json.RawMessage
		var array []json.RawMessage
		if json.Unmarshal(value, &object) == nil {
			if value, found = object[name]; !found {
				return nil, false
			}
			continue
		}
		i, err := strconv.Atoi(name)
		if err != nil || json.Unmarshal(value, &array) != nil || i >= len(array) {
			return nil, false
		}
		value = array[i]
	}
	return value, true
}
