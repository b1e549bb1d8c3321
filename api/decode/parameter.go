package decode

import (
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// QueryUint accepts the text of an integer of 0 .. 2^64-1.
func QueryUint(at *Loc, v *jsonvalue.Value) (uint64, *apierr.Error) { return queryUint(at, v, 64) }

// QueryUint32 accepts the text of an integer of 0 .. 2^32-1.
func QueryUint32(at *Loc, v *jsonvalue.Value) (uint32, *apierr.Error) {
	n, err := queryUint(at, v, 32)
	return uint32(n), err
}

func queryUint(at *Loc, v *jsonvalue.Value, bits int) (uint64, *apierr.Error) {
	text := v.String()
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, bits)
	if err != nil {
		return 0, at.Invalid("could not parse `" + text + "` as a positive integer")
	}
	return n, nil
}

// QueryBool accepts "true" and "false".
func QueryBool(at *Loc, v *jsonvalue.Value) (bool, *apierr.Error) {
	switch v.String() {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, at.Invalid("could not parse `" + v.String() + "` as a boolean, expected either `true` or `false`")
}

// QueryList accepts a comma-separated list. Pieces are not trimmed, empty ones are dropped,
// and the result is never nil. An error names the parameter, not the element.
func QueryList[T any](dec Decoder[T]) Decoder[[]T] {
	return func(at *Loc, v *jsonvalue.Value) ([]T, *apierr.Error) {
		pieces := commaPieces(v.String())
		out := make([]T, 0, len(pieces))
		for _, piece := range pieces {
			text := jsonvalue.StringValue(piece)
			t, err := dec(at, &text)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
		return out, nil
	}
}

// QueryStarList is QueryList with two more rules. A "*" anywhere in the list means everything,
// and the result is nil. The other elements are still checked. And an error names the element
// p[i] if there are several.
func QueryStarList[T any](dec Decoder[T]) Decoder[[]T] {
	return func(at *Loc, v *jsonvalue.Value) ([]T, *apierr.Error) {
		pieces := commaPieces(v.String())
		out, everything := make([]T, 0, len(pieces)), false
		for i, piece := range pieces {
			if piece == "*" {
				everything = true
				continue
			}
			place := at
			if len(pieces) > 1 {
				element := at.Element(i)
				place = &element
			}
			text := jsonvalue.StringValue(piece)
			t, err := dec(place, &text)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
		if everything {
			return nil, nil
		}
		return out, nil
	}
}

func commaPieces(s string) []string {
	var pieces []string
	for piece := range strings.SplitSeq(s, ",") {
		if piece != "" {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}
