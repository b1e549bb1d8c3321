package commandline

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

type program struct {
	Verbose bool `help:"Say more."`
	Serve   struct {
		Port  int      `default:"7" help:"Where to listen."`
		Peers []string `placeholder:"HOST" group:"Cluster" help:"Others."`
		Quiet *bool    `negatable:"" help:"Say less."`
	} `cmd:"" default:"withargs" help:"Serve."`
	Copy struct {
		From  string        `arg:"" help:"Source."`
		To    []string      `arg:"" optional:"" help:"Targets."`
		Wait  time.Duration `default:"5s" help:"How long."`
		Mode  string        `enum:"fast,safe" default:"safe" help:"How."`
		Force string        `required:"" help:"Why."`
	} `cmd:"" help:"Copy."`
	Group struct {
		HTTPPort struct{} `cmd:"" help:"One."`
		Two      struct{} `cmd:"" help:"Two."`
	} `cmd:"" help:"Some."`
}

func nothing(*Flag) (string, bool) { return "", false }

func TestWhatIsTypedComesBeforeTheSourceAndThatBeforeDefaults(t *testing.T) {
	for text, want := range map[string]int{"": 7, "--port=3": 3, "from 5": 5, "from 5 --port 0x10": 16} {
		args := strings.Fields(text)
		source := nothing
		if len(args) > 1 && args[0] == "from" {
			value := args[1]
			source = func(f *Flag) (string, bool) { return value, f.Name == "port" }
			args = args[2:]
		}
		var p program
		if _, err := New("prog", "", &p).Parse(args, source); err != nil || p.Serve.Port != want {
			t.Errorf("%q: %d %v", text, p.Serve.Port, err)
		}
	}
}

func TestAListOfTheSourceIsNotAddedToOneThatIsTyped(t *testing.T) {
	source := func(f *Flag) (string, bool) { return "x,y", f.Name == "peers" }
	var typed, untyped program
	if _, err := New("prog", "", &typed).Parse([]string{"--peers=a", "--peers", "b,c\\,d"}, source); err != nil || strings.Join(typed.Serve.Peers, "|") != "a|b|c,d" {
		t.Errorf("%q %v", typed.Serve.Peers, err)
	}
	if _, err := New("prog", "", &untyped).Parse(nil, source); err != nil || strings.Join(untyped.Serve.Peers, "|") != "x|y" {
		t.Errorf("%q %v", untyped.Serve.Peers, err)
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"copy":                            "missing flags: --force=FORCE",
		"copy --force x":                  `expected "<from>"`,
		"copy a --force x --mode slow":    `--mode must be one of "fast","safe" but got "slow"`,
		"copy a --force x --wait forever": `--wait: expected duration but got "forever": time: invalid duration "forever"`,
		"copy a --force --mode":           `--force: expected string value but got "--mode" (long flag); perhaps try --force="--mode"?`,
		"--prt=1":                         `unknown flag --prt, did you mean "--port"?`,
		"--port=1 copy":                   `flag --port applies to the default command "serve", not "copy"`,
		"group":                           `expected one of "http-port", "two"`,
		"group tow":                       `unexpected argument tow, did you mean "two"?`,
		"--peers":                         `--peers: missing value, expecting "<arg>,..."`,
		"--verbose=perhaps":               `--verbose: bool value must be true, 1, yes, false, 0 or no but got "perhaps"`,
	} {
		var p program
		if _, err := New("prog", "", &p).Parse(strings.Fields(text), nothing); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestWordsAfterTwoDashesAreArguments(t *testing.T) {
	var p program
	line, err := New("prog", "", &p).Parse([]string{"copy", "--force=x", "--", "-a", "--b"}, nothing)
	if err != nil || p.Copy.From != "-a" || strings.Join(p.Copy.To, " ") != "--b" || line.Top() != "copy" {
		t.Errorf("%+v %v", p.Copy, err)
	}
}

func TestASwitchThatCanBeNegatedHasThreeStates(t *testing.T) {
	for text, want := range map[string]string{"": "unset", "--quiet": "true", "--no-quiet": "false", "--no-quiet=no": "true"} {
		var p program
		if _, err := New("prog", "", &p).Parse(strings.Fields(text), nothing); err != nil {
			t.Fatal(err)
		}
		got := "unset"
		if p.Serve.Quiet != nil {
			got = map[bool]string{true: "true", false: "false"}[*p.Serve.Quiet]
		}
		if got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestHelp(t *testing.T) {
	var p program
	root := New("prog", "A program.", &p)
	line, err := root.Parse([]string{"copy", "--help"}, nothing)
	if err != nil || !line.Help {
		t.Fatal(line, err)
	}
	var out bytes.Buffer
	if err := line.Command.PrintHelp(&out, 60); err != nil {
		t.Fatal(err)
	}
	const want = `Usage: prog copy --force=FORCE <from> [<to> ...] [flags]

Copy.

Arguments:
  <from>        Source.
  [<to> ...]    Targets.

Flags:
  -h, --help           Show context-sensitive help.
      --verbose        Say more.

      --wait=5s        How long.
      --mode="safe"    How.
      --force=FORCE    Why.
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}

// The input comes from anywhere: it must not cause anything worse than an error.
func FuzzParse(f *testing.F) {
	f.Add("copy a --force=x -- b")
	f.Add("-hx --no-quiet=no --peers=a\\,b")
	f.Fuzz(func(_ *testing.T, text string) {
		var p program
		line, err := New("prog", "", &p).Parse(strings.Split(text, " "), nothing)
		if err == nil {
			_ = line.Command.PrintHelp(&bytes.Buffer{}, 40)
		}
	})
}
