package completion

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"shoal/node/commandline"
)

// Script prints a script that teaches a shell the commands and options.
type Script struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Print writes the script for the commands of app. To use it: for bash,
// source <(shoal completion bash); for zsh the same; for fish,
// shoal completion fish | source.
func (c *Script) Print(app *commandline.Command, out io.Writer) error {
	var b writer
	switch c.Shell {
	case "fish":
		fish(&b, app, app, nil)
	case "zsh":
		b.printf("autoload -U +X bashcompinit && bashcompinit\n")
		bash(&b, app)
	default:
		bash(&b, app)
	}
	_, err := out.Write(b.Bytes())
	return err
}

// words are the possible next words after a command: subcommands and options.
func words(n *commandline.Command) []string {
	var out []string
	for _, ch := range n.Commands {
		if !ch.Hidden {
			out = append(out, ch.Name)
		}
	}
	for _, f := range flags(n) {
		out = append(out, "--"+f.Name)
	}
	return out
}

func flags(n *commandline.Command) []*commandline.Flag {
	return slices.DeleteFunc(slices.Clone(n.Flags), func(f *commandline.Flag) bool { return f.Hidden })
}

// bash writes one case per command, selected by the words before the cursor that are not
// options.
func bash(b *writer, root *commandline.Command) {
	b.printf("_shoal() {\n\tlocal path= word\n\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n\t\tcase \"$word\" in -*) ;; *) path=\"$path $word\" ;; esac\n\tdone\n\tlocal words files= names=\n\tcase \"$path\" in\n")
	var each func(n *commandline.Command, path string)
	each = func(n *commandline.Command, path string) {
		for _, ch := range n.Commands {
			if !ch.Hidden {
				each(ch, path+" "+ch.Name)
			}
		}
		pattern := `"` + path + `"|"` + path + ` "*`
		if path == "" {
			pattern = "*"
		}
		files := ""
		if takesFiles(n) {
			files = " files=-f"
		}
		if kind := offered(n); kind != "" { // for the first argument only
			files += fmt.Sprintf("; [ \"$path\" != %q ] || { names=%s files=; }", path, kind)
		}
		b.printf("\t%s) words=%q%s ;;\n", pattern, strings.Join(words(n), " "), files)
	}
	each(root, "")
	b.printf("\tesac\n\tcase \"${COMP_WORDS[COMP_CWORD-1]}\" in\n\t%s) words= names= files=-f ;;\n\t--context) words= files= names=contexts ;;\n\tesac\n", strings.Join(slices.Compact(slices.Sorted(slices.Values(fileOptions(root)))), "|"))
	b.printf("\t[ -z \"$names\" ] || words=\"$words $(\"${COMP_WORDS[0]}\" names \"$names\" 2>/dev/null)\"\n")
	b.printf("\tCOMPREPLY=($(compgen -W \"$words\" $files -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o filenames -F _shoal shoal\n")
}

// offered is the kind of names for the first argument of a command, "" for none.
func offered(n *commandline.Command) string {
	if len(n.Arguments) == 0 {
		return ""
	}
	return n.Arguments[0].Names
}

// takesFiles tells whether the arguments of a command are paths.
func takesFiles(n *commandline.Command) bool {
	return slices.ContainsFunc(n.Arguments, func(a *commandline.Argument) bool {
		return a.Name == "files" || a.Name == "file" || a.Name == "folder"
	})
}

// fileOptions are the options whose values are paths, as typed.
func fileOptions(n *commandline.Command) (names []string) {
	for _, f := range flags(n) {
		if p := f.Holder(); p == "FILE" || p == "DIR" || p == "WHERE" {
			names = append(names, "--"+f.Name)
		}
	}
	for _, below := range n.Commands {
		names = append(names, fileOptions(below)...)
	}
	return names
}

// fish writes a line for each command and option. A subcommand may have the name of a
// top-level command: the first requires the whole path to be typed, the second that nothing
// else was.
func fish(b *writer, root, n *commandline.Command, path []string) {
	when := "__fish_use_subcommand"
	if len(path) > 0 {
		when = "__fish_seen_subcommand_from " + strings.Join(path, "; and __fish_seen_subcommand_from ")
	}
	for _, other := range root.Commands {
		if len(path) == 1 && slices.ContainsFunc(other.Commands, func(below *commandline.Command) bool { return below.Name == n.Name }) {
			when += "; and not __fish_seen_subcommand_from " + other.Name
		}
	}
	if kind := offered(n); kind != "" {
		b.printf("complete -c shoal -n %s -f -a %s\n", single(when), single("(shoal names "+kind+" 2>/dev/null)"))
	}
	for _, ch := range n.Commands {
		if ch.Hidden {
			continue
		}
		b.printf("complete -c shoal -n %s -a %s -d %s\n", single(when), ch.Name, single(ch.Help))
		fish(b, root, ch, append(slices.Clone(path), ch.Name))
	}
	for _, f := range flags(n) {
		b.printf("complete -c shoal -n %s -l %s -d %s\n", single(when), f.Name, single(f.Help))
	}
}

// single puts a text into single quotes for a shell.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// writer collects text that is written at once.
type writer struct{ bytes.Buffer }

func (w *writer) printf(format string, a ...any) { fmt.Fprintf(w, format, a...) }
