package commandline

import (
	"fmt"
	"reflect"
	"strings"
)

// Source supplies, from the environment or a file, the value of an option that the command
// line does not have.
type Source func(f *Flag) (text string, ok bool)

// Line is a parsed command line.
type Line struct {
	// Command is the command to run: the named one or the default. It is the program itself
	// if help about that is requested.
	Command *Command
	// Help: the line asks for help. Then nothing else was checked.
	Help bool
}

// Top is the name of the command below the program, "" for the program itself.
func (l *Line) Top() string {
	top, _, _ := strings.Cut(l.Command.path(), " ")
	return top
}

// Program is the program that the line belongs to.
func (l *Line) Program() *Command {
	c := l.Command
	for c.parent != nil {
		c = c.parent
	}
	return c
}

// Parse reads the words of a command line into the struct of the program. Errors are
// written for the user. Call it once per program.
func (c *Command) Parse(args []string, source Source) (*Line, error) {
	if err := c.setDefaults(); err != nil {
		return nil, err
	}
	r := &reader{words: wordsOf(args), steps: []step{{command: c}}}
	if err := r.read(c); err != nil {
		return nil, err
	}
	line := &Line{Command: r.selected(), Help: r.help}
	if r.help {
		return line, nil
	}
	if err := r.fill(source); err != nil {
		return nil, err
	}
	return line, r.check()
}

func (c *Command) setDefaults() error {
	for _, f := range c.Flags {
		if err := f.readDefault(); err != nil {
			return fmt.Errorf("default of %s: %w", f.label(), err)
		}
	}
	for _, below := range c.Commands {
		if err := below.setDefaults(); err != nil {
			return err
		}
	}
	return nil
}

// step is one parsed part of a line.
type step struct {
	command  *Command
	flag     *Flag
	argument *Argument
}

// reader parses the words of one line.
type reader struct {
	words words
	steps []step
	help  bool
}

// selected is the innermost command of the line.
func (r *reader) selected() *Command {
	var c *Command
	for _, s := range r.steps {
		if s.command != nil {
			c = s.command
		}
	}
	return c
}

// read continues with the words that belong to a command.
func (r *reader) read(c *Command) error {
	understood := c
	if c.standard != nil {
		// Words without a command belong to the default command.
		understood = c.standard
	}
	var flags []*Flag
	for _, group := range understood.allFlags() {
		flags = append(flags, group...)
	}
	taken := 0
	for {
		next := r.words.peek()
		switch next.kind {
		case end:
			if c.standard != nil && !r.help {
				r.steps = append(r.steps, step{command: c.standard})
			}
			return nil
		case plain:
			r.split(next.text)
		case shortRest:
			r.words.next()
			r.splitShort(next.text)
		case long, short:
			if err := r.readFlag(flags, next.shown()); err != nil {
				return err
			}
		case argument:
			if taken < len(c.Arguments) {
				if err := c.Arguments[taken].read(&r.words); err != nil {
					return err
				}
				r.steps = append(r.steps, step{argument: c.Arguments[taken]})
				taken++
				continue
			}
			return r.readCommand(c, next)
		default:
			return fmt.Errorf("unexpected flag argument %q", next.text)
		}
	}
}

// split classifies a word and replaces it by its parts.
func (r *reader) split(text string) {
	switch {
	case text == "--":
		r.words.onlyArguments()
		r.words.next()
	case strings.HasPrefix(text, "--"):
		r.words.next()
		name, value, ok := strings.Cut(text[2:], "=")
		if ok {
			r.words.push(word{value, longValue})
		}
		r.words.push(word{name, long})
	case len(text) > 1 && text[0] == '-':
		r.words.next()
		r.splitShort(text[1:])
	default:
		r.words.next()
		r.words.push(word{text, argument})
	}
}

// splitShort puts the first of several letters in front, as an option of its own.
func (r *reader) splitShort(letters string) {
	if rest := letters[1:]; rest != "" {
		r.words.push(word{rest, shortRest})
	}
	r.words.push(word{letters[:1], short})
}

func (r *reader) readFlag(flags []*Flag, typed string) error {
	var known []string
	for _, f := range flags {
		negated := f.negatable && typed == "--no-"+f.Name
		known = append(known, f.label())
		if f.short != "" {
			known = append(known, "-"+f.short)
		}
		if typed != f.label() && (f.short == "" || typed != "-"+f.short) && !negated {
			continue
		}
		r.words.next()
		if negated {
			on := true
			if r.words.peek().kind == longValue {
				var err error
				if on, err = onOff(r.words.next().text); err != nil {
					return err
				}
			}
			r.words.push(word{fmt.Sprint(!on), longValue})
		}
		if !f.given && f.isList() {
			f.target.Set(reflect.MakeSlice(f.target.Type(), 0, 0))
		}
		f.given = true
		if err := f.read(&r.words); err != nil {
			return err
		}
		r.help = r.help || f.isHelp
		r.steps = append(r.steps, step{flag: f})
		return nil
	}
	return Unknown("unknown flag "+typed, typed, known)
}

// readCommand continues with the command that a word names.
func (r *reader) readCommand(c *Command, named word) error {
	var known []string
	for _, below := range c.Commands {
		if !below.Hidden {
			known = append(known, below.Name)
		}
		if below.Name != named.text {
			continue
		}
		if err := r.checkBefore(c, below); err != nil {
			return err
		}
		r.words.next()
		r.steps = append(r.steps, step{command: below})
		return r.read(below)
	}
	if c.standard != nil {
		if len(c.standard.Arguments) == 0 && len(c.standard.Commands) == 0 { // the word must be the name of a command
			return Unknown("unknown command "+named.text, named.text, known)
		}
		r.steps = append(r.steps, step{command: c.standard})
		return r.read(c.standard)
	}
	return Unknown("unexpected argument "+named.text, named.text, known)
}

// checkBefore refuses options of the default command before the name of another command,
// because they would have no effect.
func (r *reader) checkBefore(c, chosen *Command) error {
	if c.standard == nil || c.standard == chosen {
		return nil
	}
	for _, s := range r.steps {
		for _, f := range c.standard.Flags {
			if s.flag == f {
				return fmt.Errorf("flag --%s applies to the default command %q, not %q", f.Name, c.standard.Name, chosen.Name)
			}
		}
	}
	return nil
}

// fill sets options that were not typed from the source.
func (r *reader) fill(source Source) error {
	var filled []step
	for _, s := range r.steps {
		if s.command == nil {
			continue
		}
		for _, f := range s.command.Flags {
			if f.given {
				continue
			}
			text, ok := source(f)
			if !ok {
				continue
			}
			f.target.SetZero()
			if err := f.read(&words{{text, longValue}}); err != nil {
				return err
			}
			filled = append(filled, step{flag: f})
		}
	}
	r.steps = append(r.steps, filled...)
	return nil
}
