package commandline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// check checks the values once all have been read.
func (r *reader) check() error {
	for _, s := range r.steps {
		if s.command == nil {
			continue
		}
		for _, f := range s.command.Flags {
			if f.Required && !f.HasDefault {
				continue // checked below, if it was given
			}
			if err := f.checkEnum(f.label()); err != nil {
				return err
			}
		}
	}
	for _, s := range r.steps {
		if err := s.check(); err != nil {
			return err
		}
	}
	if err := r.selected().checkArguments(); err != nil {
		return err
	}
	return r.checkExclusive()
}

func (s *step) check() error {
	switch {
	case s.flag != nil:
		return s.flag.checkEnum(s.flag.label())
	case s.argument != nil:
		return s.argument.checkEnum(s.argument.label())
	}
	var missing []string
	for _, f := range s.command.Flags {
		if f.Required && !f.set {
			missing = append(missing, f.summary())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
}

// checkArguments reports what is missing: arguments, or a command.
func (c *Command) checkArguments() error {
	var missing, expected []string
	for _, a := range c.Arguments {
		if a.Required && !a.set {
			missing = append(missing, a.summary())
		}
	}
	if len(missing) > 0 {
		expected = append(expected, strconv.Quote(strings.Join(missing, " ")))
	}
	for _, below := range c.Commands {
		if !below.Hidden {
			expected = append(expected, strconv.Quote(below.Name))
		}
	}
	const most = 5
	if len(expected) > most {
		expected = append(expected[:most], "...")
	}
	switch len(expected) {
	case 0:
		return nil
	case 1:
		return errors.New("expected " + expected[0])
	}
	return fmt.Errorf("expected one of %s", strings.Join(expected, ", "))
}

// checkExclusive refuses two options of one group.
func (r *reader) checkExclusive() error {
	for _, s := range r.steps {
		if s.command == nil {
			continue
		}
		first := map[string]*Flag{}
		for _, f := range s.command.Flags {
			if f.xor == "" || !f.set {
				continue
			}
			if other := first[f.xor]; other != nil {
				return fmt.Errorf("--%s and --%s can't be used together", other.Name, f.Name)
			}
			first[f.xor] = f
		}
	}
	return nil
}

// Unknown is the error about an unknown word. It suggests the known words that were
// probably meant.
func Unknown(fault, typed string, known []string) error {
	var near []string
	for _, k := range known {
		if strings.HasPrefix(k, typed) || isSlip(k, typed) {
			near = append(near, strconv.Quote(k))
		}
	}
	switch len(near) {
	case 0:
		return errors.New(fault)
	case 1:
		return fmt.Errorf("%s, did you mean %s?", fault, near[0])
	}
	return fmt.Errorf("%s, did you mean one of %s?", fault, strings.Join(near, ", "))
}

// isSlip tells whether a typed word was probably meant to be a known one. Two edits turn a
// short word into many others, so then the first letter must be right.
func isSlip(known, typed string) bool {
	switch edits(known, typed) {
	case 0, 1:
		return true
	case 2:
		return len(typed) > 3 || typed != "" && known[0] == typed[0]
	}
	return false
}

// edits is the number of letters to insert, delete or replace in order to turn a into b.
func edits(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1) // edits from the letters of a so far to the first j of b
	for j := range row {
		row[j] = j
	}
	for i, from := range []rune(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j, letter := range to {
			replaced := diagonal
			if letter != from {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
