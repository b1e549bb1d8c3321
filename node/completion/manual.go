package completion

import (
	"io"
	"strings"

	"shoal/node/commandline"
)

// Manual prints the manual page of the program, for man -l.
type Manual struct{}

// Print writes the page: the meaning of each command and option.
func (*Manual) Print(app *commandline.Command, version string, out io.Writer) error {
	var b writer
	b.printf(".TH SHOAL 1 \"\" \"shoal %s\"\n.SH NAME\nshoal \\- a search engine that is a cluster\n.SH DESCRIPTION\n%s\n", version, roff(app.Help))
	b.printf(".SH COMMANDS\n")
	manual(&b, app, "shoal")
	b.printf(".SH ENVIRONMENT\nEach option can be given as a variable: SHOAL_ and its name in capitals, with _ for -; for options of the reference MEILI_ works too.\n")
	_, err := out.Write(b.Bytes())
	return err
}

func manual(b *writer, n *commandline.Command, path string) {
	for _, ch := range n.Commands {
		if ch.Hidden {
			continue
		}
		name := path + " " + ch.Name
		b.printf(".SS %s\n%s\n", roff(name), roff(ch.Help))
		for _, a := range ch.Arguments {
			b.printf(".TP\n.I %s\n%s\n", roff(strings.ToUpper(a.Name)), roff(a.Help))
		}
		for _, f := range flags(ch) {
			holder := ""
			if !f.IsBool() {
				holder = " " + f.Holder()
			}
			b.printf(".TP\n.B \\-\\-%s%s\n%s\n", roff(f.Name), roff(holder), roff(f.Help))
		}
		manual(b, ch, name)
	}
}

// roff escapes text that the formatter would read as a command.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
