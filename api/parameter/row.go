package parameter

import (
	"encoding/json"
	"slices"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// row is one parameter of a request S.
type row[S any] struct {
	name string
	// body reads it from a body, and query from a query string. Without query it has no such
	// form, unless forms has others.
	body  decode.Row[S]
	query *decode.Row[S]
	forms []decode.Row[Query]
	// write adds it to an object for another instance, unless it is absent.
	write func(o *jsonvalue.ObjectWriter, r *S)
	// local parameters are not sent with a query, because the instance that merges the
	// answers deals with them.
	local bool
}

// kept makes the parameter local.
func (r row[S]) kept() row[S] {
	r.local = true
	return r
}

// required makes the parameter mandatory. Its absence has the code of the whole request.
func (r row[S]) required() row[S] {
	r.body = r.body.Required(apierr.Code{})
	query := r.query.Required(apierr.Code{})
	r.query = &query
	return r
}

// added leaves a parameter that the reference lacks out of the lists in messages, and of
// query strings.
func (r row[S]) added() row[S] {
	r.body, r.query = r.body.Unlisted(), nil
	return r
}

// made joins the parts of a row.
func made[S any](name string, body, query decode.Row[S], write func(o *jsonvalue.ObjectWriter, r *S)) row[S] {
	return row[S]{name: name, body: body, query: &query, write: write}
}

func number[S any](name string, code apierr.Code, slot func(*S) *uint64) row[S] {
	return made(name, decode.Plain(name, code, decode.Uint, slot), decode.Plain(name, code, decode.QueryUint, slot),
		func(o *jsonvalue.ObjectWriter, r *S) { o.Count(name, *slot(r)) })
}

func optionalNumber[S any](name string, code apierr.Code, slot func(*S) **uint64) row[S] {
	return made(name, decode.Optional(name, code, decode.Uint, slot), decode.Optional(name, code, decode.QueryUint, slot),
		func(o *jsonvalue.ObjectWriter, r *S) {
			if n := *slot(r); n != nil {
				o.Count(name, *n)
			}
		})
}

func flag[S any](name string, code apierr.Code, slot func(*S) *bool) row[S] {
	return made(name, decode.Plain(name, code, decode.Bool, slot), decode.Plain(name, code, decode.QueryBool, slot),
		func(o *jsonvalue.ObjectWriter, r *S) {
			if *slot(r) {
				o.Raw(name, []byte("true"))
			}
		})
}

// word is a text with a default. It is always sent.
func word[S any, T ~string](name string, code apierr.Code, dec decode.Decoder[T], slot func(*S) *T) row[S] {
	return made(name, decode.Plain(name, code, dec, slot), decode.Plain(name, code, dec, slot),
		func(o *jsonvalue.ObjectWriter, r *S) { o.Text(name, string(*slot(r))) })
}

func optionalText[S any](name string, code apierr.Code, slot func(*S) **string) row[S] {
	return made(name, decode.Optional(name, code, decode.String, slot), decode.Optional(name, code, decode.String, slot),
		func(o *jsonvalue.ObjectWriter, r *S) { o.OptionalText(name, *slot(r)) })
}

// list is a list of texts, nil when absent. body and query read its two forms.
func list[S any](name string, code apierr.Code, body, query decode.Decoder[[]string], slot func(*S) *[]string) row[S] {
	return made(name, decode.Nullable(name, code, body, slot), decode.Plain(name, code, query, slot),
		func(o *jsonvalue.ObjectWriter, r *S) {
			if texts := *slot(r); texts != nil {
				o.Raw(name, decode.WriteStrings(nil, texts, true))
			}
		})
}

func threshold[S any](code apierr.Code, slot func(*S) **float64) row[S] {
	const name = "rankingScoreThreshold"
	return made(name, decode.Optional(name, code, scoreThreshold, slot), decode.Optional(name, code, queryThreshold, slot),
		func(o *jsonvalue.ObjectWriter, r *S) {
			if f := *slot(r); f != nil {
				o.Raw(name, jsonvalue.AppendFloat(nil, *f))
			}
		})
}

// anyJSON is a value that is checked later. query reads its form in a query string.
func anyJSON[S any](name string, code apierr.Code, query decode.Decoder[json.RawMessage], slot func(*S) *json.RawMessage) row[S] {
	return made(name, decode.Nullable(name, code, decode.JSON, slot), decode.Plain(name, code, query, slot),
		func(o *jsonvalue.ObjectWriter, r *S) {
			if value := *slot(r); value != nil {
				o.Raw(name, value)
			}
		})
}

// named returns the rows with the names, in the order of the names. It panics if there is
// none of a name: a table of this package is wrong.
func named[S any](rows []row[S], names ...string) []row[S] {
	out := make([]row[S], len(names))
	for i, name := range names {
		at := slices.IndexFunc(rows, func(r row[S]) bool { return r.name == name })
		if at < 0 {
			panic("parameter: no row is named " + name)
		}
		out[i] = rows[at]
	}
	return out
}
