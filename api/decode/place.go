package decode

import (
	"math"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Loc is the place of a value inside a body or a query string, and the code of errors
// there. A nil parent is the root. Locs live on the stack during a decode and must not be
// kept.
//
// The texts of its methods are the reference's, for bodies (spec write-api 2.2) and for
// query strings (2.3).
type Loc struct {
	parent *Loc
	name   string
	index  int // element number, noElement for a member
	code   apierr.Code
	query  bool
}

// noElement is the index of a place that is a member, whose name may be empty.
const noElement = -1

// BodyRoot is the root of a JSON body. Errors carry code unless a member has its own.
func BodyRoot(code apierr.Code) *Loc { return &Loc{code: code} }

// QueryRoot is the root of a query string.
func QueryRoot() *Loc { return &Loc{code: apierr.CodeBadRequest, query: true} }

// Member is the place of the member name. A code with a name replaces the inherited one.
func (l *Loc) Member(name string, code apierr.Code) Loc {
	if code.Name == "" {
		code = l.code
	}
	return Loc{parent: l, name: name, index: noElement, code: code, query: l.query}
}

// Element is the place of element i.
func (l *Loc) Element(i int) Loc {
	return Loc{parent: l, index: i, code: l.code, query: l.query}
}

// Code is the code of errors at this place.
func (l *Loc) Code() apierr.Code { return l.code }

// Path renders the place as messages show it: ".a[0].b", or "p[1]" in a query
// string; "" at the root.
func (l *Loc) Path() string {
	if l.parent == nil {
		return ""
	}
	if l.index != noElement {
		return l.parent.Path() + "[" + strconv.Itoa(l.index) + "]"
	}
	if l.query && l.parent.parent == nil {
		return l.name
	}
	return l.parent.Path() + "." + l.name
}

// at returns " at `path`" (or the words of a query string), "" at the root.
func (l *Loc) at(article string) string {
	if l.parent == nil {
		return ""
	}
	return article + "`" + l.Path() + "`"
}

// Fail is an error with a finished message and the code of the place.
func (l *Loc) Fail(message string) *apierr.Error { return apierr.New(l.code, message) }

// Invalid refuses a value for the reason in text.
func (l *Loc) Invalid(text string) *apierr.Error {
	article := " at "
	if l.query {
		article = " in parameter "
	}
	return l.Fail("Invalid value" + l.at(article) + ": " + text)
}

// WrongType refuses the kind of v. accepted lists the accepted kinds.
func (l *Loc) WrongType(v *jsonvalue.Value, accepted ...jsonvalue.Kind) *apierr.Error {
	article, found := " at ", foundText(v)
	if l.query {
		article, found = " for parameter ", "a string: `"+v.String()+"`"
	}
	return l.Fail("Invalid value type" + l.at(article) + ": expected " + kindsText(accepted) + ", but found " + found)
}

// UnknownValue refuses a word that is not one of the accepted ones.
func (l *Loc) UnknownValue(word string, accepted []string) *apierr.Error {
	article := " at "
	if l.query {
		article = " for parameter "
	}
	return l.Fail("Unknown value `" + word + "`" + l.at(article) + ": " +
		apierr.DidYouMean(word, accepted) + "expected one of " + apierr.QuotedList(accepted))
}

// UnknownField refuses a member of the object at this place.
func (l *Loc) UnknownField(name string, accepted []string) *apierr.Error {
	what := "Unknown field `"
	if l.query {
		what = "Unknown parameter `"
	}
	return l.Fail(what + name + "`" + l.at(" inside ") + ": " +
		apierr.DidYouMean(name, accepted) + "expected one of " + apierr.QuotedList(accepted))
}

// ImmutableField refuses a member that may be read but not written.
func (l *Loc) ImmutableField(name string, code apierr.Code, accepted []string) *apierr.Error {
	return apierr.New(code, "Immutable field `"+name+"`"+l.at(" inside ")+": expected one of "+apierr.QuotedList(accepted))
}

// MissingField reports an absent member of the object at this place.
func (l *Loc) MissingField(name string, code apierr.Code) *apierr.Error {
	if code.Name == "" {
		code = l.code
	}
	what := "Missing field `"
	if l.query {
		what = "Missing parameter `"
	}
	return apierr.New(code, what+name+"`"+l.at(" inside "))
}

var kindNames = [...]string{
	jsonvalue.KindNull: "null", jsonvalue.KindBool: "a boolean", jsonvalue.KindPositive: "a positive integer",
	jsonvalue.KindNegative: "a negative integer", jsonvalue.KindFloat: "a number", jsonvalue.KindString: "a string",
	jsonvalue.KindArray: "an array", jsonvalue.KindObject: "an object",
}

// kindsText renders a set of kinds: sorted, integer kinds merged, joined as "A", "A or B"
// or "A, B, or C".
func kindsText(kinds []jsonvalue.Kind) string {
	var has [jsonvalue.KindObject + 1]bool
	for _, k := range kinds {
		has[k] = true
	}
	var names []string
	for k, name := range kindNames {
		switch {
		case !has[k]:
		case jsonvalue.Kind(k) == jsonvalue.KindPositive && has[jsonvalue.KindNegative] && !has[jsonvalue.KindFloat]:
			names = append(names, "an integer")
		case jsonvalue.Kind(k) == jsonvalue.KindNegative && (has[jsonvalue.KindPositive] || has[jsonvalue.KindFloat]):
		case jsonvalue.Kind(k) == jsonvalue.KindPositive && has[jsonvalue.KindFloat]:
		default:
			names = append(names, name)
		}
	}
	switch n := len(names); n {
	case 0:
		return "a different value"
	case 1:
		return names[0]
	case 2:
		return names[0] + " or " + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + ", or " + names[n-1]
	}
}

func foundText(v *jsonvalue.Value) string {
	if v.IsNull() {
		return "null"
	}
	return kindNames[v.Kind()] + ": `" + v.JSON() + "`"
}

// tooLarge is the text about an integer beyond its range.
func tooLarge(n string, most uint64) string {
	return "value: `" + n + "` is too large to be deserialized, maximum value authorized is `" +
		strconv.FormatUint(most, 10) + "`"
}

// MaxUint is the largest value of the integers that messages name (64 bits).
const MaxUint = uint64(math.MaxUint64)
