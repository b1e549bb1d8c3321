package commandline

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// label names the value in messages.
func (f *Flag) label() string { return "--" + f.Name }

func (a *Argument) label() string { return a.summary() }

// read reads the value of an option from the words.
func (f *Flag) read(from *words) error {
	if err := f.take(from, f.target, true); err != nil {
		err = fmt.Errorf("%s: %w", f.label(), err)
		var missing *noValue
		if errors.As(err, &missing) && (missing.got.looks() == long || missing.got.looks() == short) {
			return fmt.Errorf("%w; perhaps try %s=%q?", err, f.label(), missing.got.shown())
		}
		return err
	}
	f.set = true
	return nil
}

func (a *Argument) read(from *words) error {
	if err := a.take(from, a.target, false); err != nil {
		return fmt.Errorf("%s: %w", a.label(), err)
	}
	a.given, a.set = true, true
	return nil
}

// readDefault reads the default. A test ensures that defaults are valid.
func (v *Value) readDefault() error {
	if !v.HasDefault {
		return nil
	}
	v.set = true
	return v.take(&words{{text: v.Default, kind: longValue}}, v.target, true)
}

// take reads one value into a target. The elements of a list argument are separate words;
// those of a list option are in one word.
func (v *Value) take(from *words, into reflect.Value, option bool) error {
	if into.Kind() == reflect.Pointer {
		fresh := reflect.New(into.Type().Elem())
		if err := v.take(from, fresh.Elem(), option); err != nil {
			return err
		}
		into.Set(fresh)
		return nil
	}
	if reader, ok := into.Addr().Interface().(encoding.TextUnmarshaler); ok {
		text, err := from.value("value")
		if err != nil {
			return err
		}
		return reader.UnmarshalText([]byte(text))
	}
	switch into.Kind() {
	case reflect.Bool:
		return takeSwitch(from, into)
	case reflect.Slice:
		return v.takeList(from, into, option)
	case reflect.Int64:
		return takeDuration(from, into)
	case reflect.Int:
		return takeInt(from, into)
	case reflect.Uint64:
		return takeUint(from, into)
	}
	text, err := from.value("string")
	into.SetString(text)
	return err
}

func takeSwitch(from *words, into reflect.Value) error {
	if from.peek().kind != longValue {
		into.SetBool(true)
		return nil
	}
	on, err := onOff(from.next().text)
	into.SetBool(on)
	return err
}

func onOff(text string) (bool, error) {
	text = strings.ToLower(text)
	switch text {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("bool value must be true, 1, yes, false, 0 or no but got %q", text)
}

func takeDuration(from *words, into reflect.Value) error {
	text, err := from.value("duration")
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("expected duration but got %q: %w", text, err)
	}
	into.SetInt(int64(d))
	return nil
}

func takeInt(from *words, into reflect.Value) error {
	text, err := from.value("int")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 0, into.Type().Bits())
	if err != nil {
		return fmt.Errorf("expected a valid %d bit int but got %q", into.Type().Bits(), text)
	}
	into.SetInt(n)
	return nil
}

func takeUint(from *words, into reflect.Value) error {
	text, err := from.value("uint")
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(text, 0, into.Type().Bits())
	if err != nil {
		return fmt.Errorf("expected a valid %d bit uint but got %q", into.Type().Bits(), text)
	}
	into.SetUint(n)
	return nil
}

func (v *Value) takeList(from *words, into reflect.Value, option bool) error {
	var items words
	if option {
		one := from.next()
		if one.kind == end {
			return errors.New(`missing value, expecting "<arg>,..."`)
		}
		for _, text := range splitList(one.text) {
			items = append(items, word{text: text, kind: one.kind})
		}
	} else {
		for from.peek().isValue() {
			items = append(items, from.next())
		}
	}
	for len(items) > 0 {
		text, err := items.value("string")
		if err != nil {
			return err
		}
		into.Set(reflect.Append(into, reflect.ValueOf(text)))
	}
	return nil
}

// splitList cuts a text at its commas, except those after a backslash.
func splitList(text string) []string {
	var out []string
	var item strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == ',':
			i++
			item.WriteByte(',')
		case text[i] == '\\' && i+1 < len(text):
			item.WriteByte('\\')
			i++
			item.WriteByte(text[i])
		case text[i] == ',':
			out = append(out, item.String())
			item.Reset()
		default:
			item.WriteByte(text[i])
		}
	}
	if item.Len() > 0 {
		out = append(out, item.String())
	}
	return out
}

// checkEnum reports the allowed values if this one is not among them.
func (v *Value) checkEnum(label string) error {
	got := v.target.String()
	if len(v.enum) == 0 || slices.Contains(v.enum, got) {
		return nil
	}
	quoted := make([]string, len(v.enum))
	for i, e := range v.enum {
		quoted[i] = strconv.Quote(e)
	}
	return fmt.Errorf("%s must be one of %s but got %q", label, strings.Join(quoted, ","), got)
}
