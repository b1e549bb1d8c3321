package routing

import (
	"encoding/json"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// maxSort is a limit that the reference does not have: every criterion of a sort is a
// ranking rule of its own.
const maxSort = 1000

// SortList accepts the criteria of a sort.
func SortList(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	if v.Len() > maxSort {
		return nil, tooManySorts(at, v.Len())
	}
	return decode.Strings(at, v)
}

func tooManySorts(at *decode.Loc, n int) *apierr.Error {
	return at.Invalid("expected at most " + strconv.Itoa(maxSort) + " criteria, but found " + strconv.Itoa(n))
}

// FilterText: text that parses as JSON is that JSON, any other text is one
// expression; the empty text is no filter.
func FilterText(_ *decode.Loc, v *jsonvalue.Value) (json.RawMessage, *apierr.Error) {
	text := v.String()
	if text == "" {
		return nil, nil
	}
	if parsed, err := jsonvalue.Parse([]byte(text)); err == nil {
		return json.RawMessage(parsed.AppendJSON(nil)), nil
	}
	return json.RawMessage(jsonvalue.AppendString(nil, text)), nil
}

// SortText splits a list of sort expressions at its commas, apart from those of a
// _geoPoint(...), which reaches to the next piece that ends as one does. A point
// that is whole without a comma takes the next piece all the same, and one inside
// another begins anew, as in the reference. Empty pieces stay, and fail later.
func SortText(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	var out []string
	inPoint := false
	for _, piece := range strings.Split(strings.Trim(v.String(), `"`), ",") {
		piece = strings.TrimSpace(piece)
		switch {
		case strings.HasPrefix(piece, "_geoPoint("):
			out, inPoint = append(out, piece), true
		case inPoint:
			out[len(out)-1] += "," + piece
			inPoint = !strings.HasSuffix(piece, "):asc") && !strings.HasSuffix(piece, "):desc")
		default:
			out = append(out, piece)
		}
	}
	if len(out) > maxSort {
		return nil, tooManySorts(at, len(out))
	}
	return out, nil
}

// MetadataParameters is the query of routes that take nothing but a note for the
// task.
var MetadataParameters = decode.NewObject(
	decode.Optional("customMetadata", apierr.CodeInvalidIndexCustomMetadata, decode.String, func(m **string) **string { return m }),
)
