package httpfront

import (
	"errors"
	"strconv"

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
	return parseBody(data, bodyTreeRoom)
}

// bodyTreeRoom is how much memory the values of a JSON body may take, in bytes: about
// 3.7 million of them.
const bodyTreeRoom = 256 << 20

// parseBody parses a JSON body whose values may take so many bytes.
func parseBody(data []byte, room int64) (api.Value, error) {
	v, err := api.ParseJSONWithin(data, room)
	switch {
	case errors.Is(err, api.ErrTreeTooLarge):
		return api.Value{}, api.NewError(api.CodePayloadTooLarge, "JSON payload has exceeded limit (more values than fit in "+strconv.FormatInt(room, 10)+" bytes).")
	case err != nil:
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
