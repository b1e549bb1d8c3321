package command

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestLines parses command lines: what is understood, what is refused and how, and what
// help prints. Renew testdata/lines.txt with -rewrite.
func TestLines(t *testing.T) {
	datadriven.RunTest(t, "testdata/lines.txt", func(t *testing.T, d *datadriven.TestData) (answer string) {
		columns := 80
		d.MaybeScanArgs(t, "columns", &columns)
		t.Run(d.Pos, func(t *testing.T) { answer = answered(t, strings.Fields(d.Input), columns) })
		return answer
	})
}

// answered parses a line, which may begin with environment variables.
func answered(t *testing.T, words []string, columns int) string {
	args := []string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		switch {
		case ok && strings.HasPrefix(name, "SHOAL_"):
			t.Setenv(name, value)
		case word == `""`:
			args = append(args, "")
		default:
			args = append(args, word)
		}
	}
	line, _, err := parse(args)
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	if !line.Help {
		return understood(line.Top(), line.Command.Target)
	}
	var out bytes.Buffer
	if err := line.Command.PrintHelp(&out, columns); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// understood are the values of a command that are set.
func understood(name string, target any) string {
	out := values(nil, reflect.ValueOf(target).Elem())
	slices.Sort(out)
	return name + "\n" + strings.Join(out, "")
}

func values(out []string, v reflect.Value) []string {
	for i := range v.NumField() {
		field := v.Field(i)
		if field.Kind() == reflect.Pointer && !field.IsNil() {
			out = append(out, fmt.Sprintf("  %s = %v\n", v.Type().Field(i).Name, field.Elem()))
			continue
		}
		switch {
		case field.Kind() == reflect.Struct:
			out = values(out, field)
		case !field.IsZero():
			out = append(out, fmt.Sprintf("  %s = %v\n", v.Type().Field(i).Name, field))
		}
	}
	return out
}
