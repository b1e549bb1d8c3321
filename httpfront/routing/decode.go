package routing

import (
	"errors"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// ReadBody decodes the JSON body of the request into s through its table. Errors without a
// code of their own are bad_request.
func ReadBody[S any](x *Exchange, table *decode.Object[S], s *S) error {
	return ReadBodyAs(x, apierr.CodeBadRequest, table.Decode, s)
}

// ReadBodyAs decodes the whole JSON body with read. code is the code of errors at the root
// (the code of a setting if the body is one setting).
func ReadBodyAs[S any](x *Exchange, code apierr.Code, read func(*decode.Loc, *jsonvalue.Value, *S) *apierr.Error, s *S) error {
	v, err := x.BodyValue()
	if err != nil {
		return err
	}
	if err := read(decode.BodyRoot(code), &v, s); err != nil {
		return err
	}
	return nil
}

// BodyValue reads and parses the JSON body of the request.
func (x *Exchange) BodyValue() (jsonvalue.Value, error) {
	data, err := x.JSONBody()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	return ParseBody(data, BodyTreeRoom)
}

// BodyTreeRoom bounds the memory for the values of a JSON body, in bytes. It is enough for
// about 3.7 million values.
const BodyTreeRoom = 256 << 20

// ParseBody parses a JSON body whose values may take room bytes.
func ParseBody(data []byte, room int64) (jsonvalue.Value, error) {
	v, err := jsonvalue.ParseWithin(data, room)
	switch {
	case errors.Is(err, jsonvalue.ErrTreeTooLarge):
		return jsonvalue.Value{}, apierr.New(apierr.CodePayloadTooLarge, "JSON payload has exceeded limit (more values than fit in "+strconv.FormatInt(room, 10)+" bytes).")
	case err != nil:
		return jsonvalue.Value{}, apierr.MalformedJSON(err)
	}
	return v, nil
}

// ReadQuery decodes the query string into s through its table, whose rows take strings
// (decode.String, decode.QueryUint, ...).
func ReadQuery[S any](x *Exchange, table *decode.Object[S], s *S) error {
	v := jsonvalue.ParseQuery(x.HTTP.URL.RawQuery)
	if err := table.Decode(decode.QueryRoot(), &v, s); err != nil {
		return err
	}
	return nil
}

// MetadataParameters is the query string of routes that take only a note for the task.
var MetadataParameters = decode.NewObject(
	decode.Optional("customMetadata", apierr.CodeInvalidIndexCustomMetadata, decode.String, func(m **string) **string { return m }),
)

// ReadMetadata reads that note, nil for none.
func ReadMetadata(x *Exchange) (metadata *string, err error) {
	err = ReadQuery(x, MetadataParameters, &metadata)
	return metadata, err
}

// ReadMetadataAndBody reads that note and a JSON body. A fault of the note is told first.
func ReadMetadataAndBody[S any](x *Exchange, table *decode.Object[S], s *S) (metadata *string, err error) {
	if metadata, err = ReadMetadata(x); err != nil {
		return nil, err
	}
	return metadata, ReadBody(x, table, s)
}
