package decode

import (
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Described describes one member of a body or one parameter.
type Described struct {
	Name     string
	Code     apierr.Code // for a wrong value; none means bad_request, or that any value is accepted
	Required bool
	// Kinds are the accepted kinds of values. Words, if not empty, are the only accepted
	// texts.
	Kinds []jsonvalue.Kind
	Words []string
	// Members are the members of an object with a fixed set of names. Item describes the
	// elements of an array, or the members of an object with any names. Both are nil if
	// everything is accepted.
	Members []Described
	Item    *Described
}

// Describer is a table of parameters or of members of a body: an Object of any type.
type Describer interface {
	Describe() []Described
	DescribeQuery() []Described
}

// describeDepth bounds how deep descriptions go below a body's members.
const describeDepth = 4

// Describe lists the members that clients may send. It finds out what a member accepts by
// offering it values of each kind, so that the description cannot differ from Decode.
func (o *Object[S]) Describe() []Described {
	var list []Described
	for i := range o.rows {
		r := &o.rows[i]
		if r.immutable {
			continue
		}
		d := DescribeBy(r.name, r.code, func(at *Loc, v *jsonvalue.Value) *apierr.Error { return r.set(new(S), at, v) })
		d.Required = r.required
		list = append(list, d)
	}
	return list
}

// DescribeBy describes one member by offering values of each kind to set.
func DescribeBy(name string, code apierr.Code, set func(*Loc, *jsonvalue.Value) *apierr.Error) Described {
	at := BodyRoot(apierr.CodeBadRequest).Member(name, code)
	offer := func(v jsonvalue.Value) *apierr.Error { return set(&at, &v) }
	d := prober{offer, at.Path()}.describe(describeDepth)
	d.Name = name
	if d.Code.Name == "" {
		d.Code = code
	}
	return d
}

// prober offers values at one place below a member and reads the refusals.
type prober struct {
	offer func(jsonvalue.Value) *apierr.Error
	path  string
}

// samples has one value of each kind. Its text is one that no member accepts.
var samples = []jsonvalue.Value{
	{}, jsonvalue.BoolValue(true), jsonvalue.UintValue(1), jsonvalue.IntValue(-1), jsonvalue.FloatValue(0.5), jsonvalue.StringValue(oddText), jsonvalue.ArrayValue(), jsonvalue.ObjectValue(),
}

const oddText = "\x00"

func (p prober) describe(depth int) Described {
	var d Described
	for _, sample := range samples {
		err := p.offer(sample)
		// Only a refusal of the kind counts. Other refusals are about contents.
		if err == nil || !strings.HasPrefix(err.Message, "Invalid value type at `"+p.path+"`:") {
			d.Kinds = append(d.Kinds, sample.Kind())
		} else {
			d.Code = err.Code
		}
		if list, ok := p.expected(err, "Unknown value `"+oddText+"` at "); ok {
			d.Words = list
		}
	}
	if depth == 0 || len(d.Kinds) == len(samples) {
		return d
	}
	for _, kind := range d.Kinds {
		switch kind {
		case jsonvalue.KindArray:
			item := prober{func(v jsonvalue.Value) *apierr.Error { return p.offer(jsonvalue.ArrayValue(v)) }, p.path + "[0]"}.describe(depth - 1)
			d.Item = &item
		case jsonvalue.KindObject:
			if d.Members = p.members(depth); d.Members == nil && d.Item == nil {
				item := p.member("a").describe(depth - 1)
				d.Item = &item
			}
		}
	}
	return d
}

// members describes the members of an object, or returns nil if any name is accepted.
func (p prober) members(depth int) []Described {
	names, ok := p.expected(p.offer(jsonvalue.ObjectValue(jsonvalue.Member{Name: oddText})), "Unknown field `"+oddText+"` inside ")
	if !ok {
		return nil
	}
	list := make([]Described, 0, len(names))
	for _, name := range names {
		d := p.member(name).describe(depth - 1)
		d.Name = name
		list = append(list, d)
	}
	return list
}

func (p prober) member(name string) prober {
	return prober{func(v jsonvalue.Value) *apierr.Error {
		return p.offer(jsonvalue.ObjectValue(jsonvalue.Member{Name: name, Value: v}))
	}, p.path + "." + name}
}

// expected reads the list of accepted values out of a refusal that begins with start and
// the path.
func (p prober) expected(err *apierr.Error, start string) ([]string, bool) {
	if err == nil {
		return nil, false
	}
	list, ok := strings.CutPrefix(err.Message, start+"`"+p.path+"`: expected one of ")
	return wordsIn(list), ok
}

// wordsIn undoes quotedList.
func wordsIn(list string) []string { return strings.Split(strings.Trim(list, "`"), "`, `") }

// DescribeQuery is Describe for a table of parameters. A parameter is text; it is an
// integer or a boolean if its refusal says so.
func (o *Object[S]) DescribeQuery() []Described {
	var list []Described
	for i := range o.rows {
		r := &o.rows[i]
		d := Described{Name: r.name, Code: r.code, Required: r.required, Kinds: []jsonvalue.Kind{jsonvalue.KindString}}
		at, text := QueryRoot().Member(r.name, r.code), jsonvalue.StringValue(oddText)
		if err := r.set(new(S), &at, &text); err != nil {
			_, words, ok := strings.Cut(err.Message, "Unknown value `"+oddText+"` for parameter `"+r.name+"`: expected one of ")
			switch {
			case ok:
				d.Words = wordsIn(words)
			case strings.HasSuffix(err.Message, "as a positive integer"):
				d.Kinds[0] = jsonvalue.KindPositive
			case strings.HasSuffix(err.Message, "expected either `true` or `false`"):
				d.Kinds[0] = jsonvalue.KindBool
			}
		}
		list = append(list, d)
	}
	return list
}
