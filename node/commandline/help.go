package commandline

import (
	"fmt"
	"go/doc/comment"
	"io"
	"strconv"
	"strings"
)

// widest bounds the lines of help on a wide terminal.
const widest = 110

// PrintHelp prints how to use a command, for a terminal of that many columns.
func (c *Command) PrintHelp(out io.Writer, columns int) error {
	root := c
	for root.parent != nil {
		root = root.parent
	}
	p := &page{lines: &[]string{}, width: min(columns, widest)}
	p.line("Usage: " + root.Name + usage(c))
	p.details(c)
	if c == root {
		p.line("")
		p.line(fmt.Sprintf(`Run "%s <command> --help" for more information on a command.`, c.Name))
	}
	for _, line := range *p.lines {
		if _, err := io.WriteString(out, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// usage is a command with its required and optional parts.
func usage(c *Command) string {
	var parts []string
	if path := c.path(); path != "" {
		parts = append(parts, path)
	}
	for _, group := range c.allFlags() {
		for _, f := range group {
			if f.Required {
				parts = append(parts, f.summary())
			}
		}
	}
	optional := 0
	for _, a := range c.Arguments {
		text := a.summary()
		if !a.Required {
			optional++
			text = strings.TrimRight(text, "]")
		}
		parts = append(parts, text)
	}
	if len(c.Arguments) > 0 {
		parts[len(parts)-1] += strings.Repeat("]", optional)
	} else if len(c.Commands) > 0 {
		parts = append(parts, "<command>")
	}
	if c.hasChoice() || c.parent != nil && c.parent.hasChoice() {
		parts = append(parts, "[flags]")
	}
	return " " + strings.Join(parts, " ")
}

// hasChoice tells whether there is an optional option.
func (c *Command) hasChoice() bool {
	for _, f := range c.Flags {
		if !f.Required && !f.isHelp {
			return true
		}
	}
	return false
}

// page collects the lines of help.
type page struct {
	lines  *[]string
	indent string
	width  int
}

func (p *page) indented() *page {
	return &page{lines: p.lines, indent: p.indent + "  ", width: p.width - 2}
}

func (p *page) line(text string) {
	*p.lines = append(*p.lines, strings.TrimRight(p.indent+text, " "))
}

func (p *page) paragraph(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(wrapped(strings.TrimSpace(text), "    ", p.width)), "\n") {
		p.line(line)
	}
}

// wrapped breaks a text into lines of that width. Indented lines keep their form.
func wrapped(text, indent string, width int) string {
	printer := comment.Printer{TextCodePrefix: indent, TextWidth: width}
	return string(printer.Text(new(comment.Parser).Parse(text)))
}

// details are the texts about a command: its description, arguments, options, and
// subcommands.
func (p *page) details(c *Command) {
	if c.Help != "" {
		p.line("")
		p.paragraph(c.Help)
	}
	if len(c.Arguments) > 0 {
		rows := make([]row, len(c.Arguments))
		for i, a := range c.Arguments {
			rows[i] = row{a.summary(), a.Help}
		}
		p.section("Arguments:", rows)
	}
	for _, g := range grouped(c.allFlags()) {
		p.section(g.title, g.rows)
	}
	var rows []row
	for _, leaf := range c.leaves() {
		rows = append(rows, row{leaf.path(), leaf.Help})
	}
	if len(rows) > 0 {
		p.section("Commands:", rows)
	}
}

func (p *page) section(title string, rows []row) {
	p.line("")
	p.paragraph(title)
	p.indented().table(rows)
}

// leaves are the subcommands of c that can be run.
func (c *Command) leaves() []*Command {
	var out []*Command
	for _, below := range c.Commands {
		switch {
		case below.Hidden:
		case len(below.Commands) == 0:
			out = append(out, below)
		default:
			out = append(out, below.leaves()...)
		}
	}
	return out
}

// row is one line of a table: a name and its explanation.
type row struct{ name, text string }

// group is a part of the list of options.
type group struct {
	title string
	rows  []row
}

// grouped sorts options by their titles, untitled ones first. An empty row separates the
// options of the program from those of its commands.
func grouped(levels [][]*Flag) []group {
	const untitled = "Flags:"
	groups := []group{{title: untitled}}
	short := map[string]bool{}
	for _, flags := range levels {
		seen := map[string]bool{}
		for _, f := range flags {
			if f.Hidden {
				continue
			}
			title := f.Group
			if title == "" {
				title = untitled
			}
			at := 0
			for at < len(groups) && groups[at].title != title {
				at++
			}
			if at == len(groups) {
				groups = append(groups, group{title: title})
			}
			if !seen[title] && len(groups[at].rows) > 0 {
				groups[at].rows = append(groups[at].rows, row{})
			}
			seen[title] = true
			short[title] = short[title] || f.short != ""
			groups[at].rows = append(groups[at].rows, row{f.spelling(), f.explained()})
		}
	}
	for _, g := range groups {
		if !short[g.title] {
			continue
		}
		for i := range g.rows {
			if strings.HasPrefix(g.rows[i].name, "--") {
				g.rows[i].name = "    " + g.rows[i].name
			}
		}
	}
	return groups
}

// spelling is an option as it is typed.
func (f *Flag) spelling() string {
	name := f.Name
	if f.IsBool() && f.negatable {
		name = "[no-]" + name
	}
	text := "--" + name
	if f.short != "" {
		text = "-" + f.short + ", " + text
	}
	if !f.IsBool() {
		text += "=" + f.Holder()
	}
	return text
}

// explained is the help of an option, with its default and its environment variables.
func (f *Flag) explained() string {
	var notes []string
	if f.tellsDefault() {
		notes = append(notes, "default: "+f.Default)
	}
	if len(f.Envs) > 0 {
		notes = append(notes, "$"+strings.Join(f.Envs, ", $"))
	}
	if len(notes) == 0 {
		return f.Help
	}
	note := "(" + strings.Join(notes, "; ") + ")"
	if text, ok := strings.CutSuffix(f.Help, "."); ok {
		return text + " " + note + "."
	}
	return strings.TrimSpace(f.Help + " " + note)
}

// tellsDefault tells whether the default adds information to the help.
func (f *Flag) tellsDefault() bool {
	return f.HasDefault && f.Holder() != f.Default && f.Holder() != strconv.Quote(f.Default) && f.Default != "" && f.Default != "0" && !f.IsBool() && !strings.Contains(strings.ToLower(f.Help), "default")
}

// table writes rows in two columns. A name that is too long for the first column gets its
// own line.
func (p *page) table(rows []row) {
	const gap = 4
	most := max(30, 375*p.width/1000)
	left := 0
	for _, r := range rows {
		if n := len(r.name); n > left && n < most {
			left = n
		}
	}
	for _, r := range rows {
		text := wrapped(r.text, "  ", p.width-left-gap)
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		first := fmt.Sprintf("%-*s", left, r.name)
		if len(r.name) < most {
			first += strings.Repeat(" ", gap) + lines[0]
			lines = lines[1:]
		}
		p.line(first)
		for _, line := range lines {
			p.line(strings.Repeat(" ", left+gap) + line)
		}
	}
}
