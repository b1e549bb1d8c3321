package httpfront

import (
	"errors"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// readBody reads the JSON body of the request into s through its table. Errors
// without a code of their own are bad_request.
func readBody[S any](x *exchange, table *decode.Object[S], s *S) error {
	return readBodyAs(x, apierr.CodeBadRequest, table.Decode, s)
}

// readBodyAs reads the whole JSON body with decode; code is that of errors at
// the root (the code of a setting when the body is one setting).
func readBodyAs[S any](x *exchange, code apierr.Code, read func(*decode.Loc, *jsonvalue.Value, *S) *apierr.Error, s *S) error {
	v, err := x.bodyValue()
	if err != nil {
		return err
	}
	if err := read(decode.BodyRoot(code), &v, s); err != nil {
		return err
	}
	return nil
}

// bodyValue reads and parses the JSON body of the request.
func (x *exchange) bodyValue() (jsonvalue.Value, error) {
	data, err := x.jsonBody()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	return parseBody(data, bodyTreeRoom)
}

// bodyTreeRoom is how much memory the values of a JSON body may take, in bytes: about
// 3.7 million of them.
const bodyTreeRoom = 256 << 20

// parseBody parses a JSON body whose values may take so many bytes.
func parseBody(data []byte, room int64) (jsonvalue.Value, error) {
	v, err := jsonvalue.ParseWithin(data, room)
	switch {
	case errors.Is(err, jsonvalue.ErrTreeTooLarge):
		return jsonvalue.Value{}, apierr.New(apierr.CodePayloadTooLarge, "JSON payload has exceeded limit (more values than fit in "+strconv.FormatInt(room, 10)+" bytes).")
	case err != nil:
		return jsonvalue.Value{}, apierr.MalformedJSON(err)
	}
	return v, nil
}

// readQuery reads the query string into s through its table, whose rows take
// strings (decode.String, decode.QueryUint, ...).
func readQuery[S any](x *exchange, table *decode.Object[S], s *S) error {
	v := jsonvalue.ParseQuery(x.http.URL.RawQuery)
	if err := table.Decode(decode.QueryRoot(), &v, s); err != nil {
		return err
	}
	return nil
}
