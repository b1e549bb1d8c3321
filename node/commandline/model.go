package commandline

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Command is a program or one of its commands. It is not safe for concurrent use, not even
// different commands of one program.
type Command struct {
	Name, Help string
	Hidden     bool
	Flags      []*Flag
	Arguments  []*Argument
	Commands   []*Command
	// Target is the pointer to the struct that describes this command.
	Target any

	parent   *Command
	standard *Command // the default command
}

// Value is the common part of options and arguments.
type Value struct {
	Name, Help string
	Required   bool
	Default    string
	HasDefault bool
	Names      string // the kind of names that completion offers; "" for none

	enum   []string
	target reflect.Value
	// given: the value is from the command line. set: it has a value from any source.
	given, set bool
}

// Flag is an option.
type Flag struct {
	Value
	Group, Placeholder string
	// Envs are the environment variables that may hold it, in order of precedence.
	Envs   []string
	Hidden bool

	xor       string
	negatable bool
	short     string
	isHelp    bool
}

// Argument is a positional value.
type Argument struct{ Value }

// helpName is the option for help, which every command has.
const helpName = "help"

// New makes a program from a pointer to a struct. It panics if a field has an unsupported
// type, which is a programming error.
func New(name, help string, into any) *Command {
	root := &Command{Name: name, Help: help, Target: into}
	asked := new(bool)
	root.Flags = append(root.Flags, &Flag{
		Value: Value{Name: helpName, Help: "Show context-sensitive help.", target: reflect.ValueOf(asked).Elem()},
		short: "h", isHelp: true,
	})
	root.add(reflect.ValueOf(into).Elem())
	return root
}

// add adds the fields of a struct to the command.
func (c *Command) add(from reflect.Value) {
	for i := range from.NumField() {
		field, target := from.Type().Field(i), from.Field(i)
		_, command := field.Tag.Lookup("cmd")
		switch {
		case field.Anonymous:
			c.add(target)
		case !field.IsExported():
		case command:
			c.addCommand(field, target)
		default:
			c.addValue(field, target)
		}
	}
}

func (c *Command) addCommand(field reflect.StructField, target reflect.Value) {
	_, hidden := field.Tag.Lookup("hidden")
	below := &Command{Name: nameOf(field), Help: field.Tag.Get("help"), Hidden: hidden, Target: target.Addr().Interface(), parent: c}
	below.add(target)
	c.Commands = append(c.Commands, below)
	if field.Tag.Get("default") == "withargs" {
		c.standard = below
	}
}

func (c *Command) addValue(field reflect.StructField, target reflect.Value) {
	has := func(tag string) bool { _, ok := field.Tag.Lookup(tag); return ok }
	v := Value{Name: nameOf(field), Help: field.Tag.Get("help"), target: target, Default: field.Tag.Get("default"), HasDefault: has("default"), Names: field.Tag.Get("names")}
	if !readable(target) {
		panic(fmt.Sprintf("commandline: option %s is a %s, which cannot be read", v.Name, target.Type()))
	}
	if enum, ok := field.Tag.Lookup("enum"); ok {
		v.enum = strings.Split(enum, ",")
	}
	if has("arg") {
		v.Required = !has("optional")
		c.Arguments = append(c.Arguments, &Argument{v})
		return
	}
	v.Required = has("required")
	f := &Flag{Value: v, Group: field.Tag.Get("group"), Placeholder: field.Tag.Get("placeholder"), Hidden: has("hidden"), xor: field.Tag.Get("xor"), negatable: has("negatable")}
	if env := field.Tag.Get("env"); env != "" {
		f.Envs = strings.Split(env, ",")
	}
	c.Flags = append(c.Flags, f)
}

// nameOf is a field's name on the command line.
func nameOf(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	var out strings.Builder
	letters := []rune(field.Name)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) {
			before, ends := letters[i-1], i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if !unicode.IsUpper(before) || ends {
				out.WriteByte('-')
			}
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	readerType   = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func readable(v reflect.Value) bool {
	if v.Addr().Type().Implements(readerType) || v.Type() == durationType {
		return true
	}
	switch v.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Uint64:
		return true
	case reflect.Slice:
		return v.Type().Elem().Kind() == reflect.String
	case reflect.Pointer:
		return readable(reflect.New(v.Type().Elem()).Elem())
	}
	return false
}

// path is the sequence of command names without the program's.
func (c *Command) path() string {
	if c.parent == nil {
		return ""
	}
	return strings.TrimSpace(c.parent.path() + " " + c.Name)
}

// allFlags are the options that the command accepts, those of the program first, then
// command by command.
func (c *Command) allFlags() [][]*Flag {
	var out [][]*Flag
	if c.parent != nil {
		out = c.parent.allFlags()
	}
	if len(c.Flags) == 0 {
		return out
	}
	return append(out, c.Flags)
}

// IsBool tells whether it is a switch, which needs no value.
func (v *Value) IsBool() bool {
	t := v.target.Type()
	return t.Kind() == reflect.Bool || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Bool
}

func (v *Value) isList() bool { return v.target.Kind() == reflect.Slice }

// Holder is the placeholder for the option's value in help.
func (f *Flag) Holder() string {
	more := ""
	if f.isList() {
		more = ",..."
	}
	switch {
	case f.Placeholder != "":
		return f.Placeholder + more
	case f.HasDefault && f.target.Kind() == reflect.String:
		return strconv.Quote(f.Default) + more
	case f.HasDefault:
		return f.Default + more
	}
	return strings.ToUpper(f.Name) + more
}

// summary is an option with its placeholder.
func (f *Flag) summary() string {
	if f.IsBool() {
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + f.Holder()
}

// summary is the name of an argument. Optional arguments have brackets.
func (a *Argument) summary() string {
	text := "<" + a.Name + ">"
	if a.isList() {
		text += " ..."
	}
	if !a.Required {
		text = "[" + text + "]"
	}
	return text
}
