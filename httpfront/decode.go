package httpfront

import (
	"shoal/api"
)

// readBody reads the JSON body of the request into s through its table. Errors
// without a code of their own are bad_request.
func readBody[S any](x *exchange, table *api.Object[S], s *S) error {
	return readBodyAs(x, api.CodeBadRequest, table.Decode, s)
}

// readBodyAs reads the whole JSON body with decode; code is that of errors at
// the root (the code of a setting when the body is one setting).
func readBodyAs[S any](x *exchange, code api.Code, decode func(*api.Loc, *api.Value, *S) *api.Error, s *S) error {
	v, err := x.bodyValue()
	if err != nil {
		return err
	}
	if err := decode(api.BodyRoot(code), &v, s); err != nil {
		return err
	}
	return nil
}

// bodyValue reads and parses the JSON body of the request.
func (x *exchange) bodyValue() (api.Value, error) {
	data, err := x.jsonBody()
	if err != nil {
		return api.Value{}, err
	}
	v, err := api.ParseJSON(data)
	if err != nil {
		return api.Value{}, api.MalformedJSON(err)
	}
	return v, nil
}

// readQuery reads the query string into s through its table, whose rows take
// strings (api.String, api.QueryUint, ...).
func readQuery[S any](x *exchange, table *api.Object[S], s *S) error {
	v := api.ParseQuery(x.http.URL.RawQuery)
	if err := table.Decode(api.QueryRoot(), &v, s); err != nil {
		return err
	}
	return nil
}
