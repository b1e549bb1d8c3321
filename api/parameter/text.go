package parameter

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// maxInserted is a limit that the reference does not have: a text that is inserted at every
// match may be inserted a million times.
const maxInserted = 1 << 10

// shortText accepts a text that is inserted into answers: a tag or marker.
func shortText(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	s, err := decode.String(at, v)
	if err == nil && len(s) > maxInserted {
		return "", at.Invalid("expected at most " + strconv.Itoa(maxInserted) + " bytes, but found " + strconv.Itoa(len(s)))
	}
	return s, err
}

// distinctStrings accepts an array of strings and drops repetitions.
func distinctStrings(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	list, err := decode.Strings(at, v)
	if err != nil {
		return nil, err
	}
	return dropRepeated(list), nil
}

func dropRepeated(list []string) []string {
	kept := list[:0]
	if len(list) <= 32 { // without the cost of a map
		for _, s := range list {
			if !slices.Contains(kept, s) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	seen := make(map[string]struct{}, len(list))
	for _, s := range list {
		if _, again := seen[s]; !again {
			seen[s] = struct{}{}
			kept = append(kept, s)
		}
	}
	return kept
}

const (
	thresholdText = "the value of `rankingScoreThreshold` is invalid, expected a float between `0.0` and `1.0`."
	ratioText     = "the value of `semanticRatio` is invalid, expected a float between `0.0` and `1.0`."
)

func scoreThreshold(at *decode.Loc, v *jsonvalue.Value) (float64, *apierr.Error) {
	f, err := decode.Float(at, v)
	if err == nil && !(f >= 0 && f <= 1) {
		return 0, at.Invalid(thresholdText)
	}
	return f, err
}

func semanticRatio(at *decode.Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
	f, err := decode.Float32(at, v)
	if err == nil && !(f >= 0 && f <= 1) {
		return 0, at.Invalid(ratioText)
	}
	return f, err
}

// maxSort is a limit that the reference does not have. Every criterion of a sort is a
// ranking rule of its own.
const maxSort = 1000

// Sort accepts the criteria of a sort.
func Sort(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	if v.Len() > maxSort {
		return nil, tooManySorts(at, v.Len())
	}
	return decode.Strings(at, v)
}

func tooManySorts(at *decode.Loc, n int) *apierr.Error {
	return at.Invalid("expected at most " + strconv.Itoa(maxSort) + " criteria, but found " + strconv.Itoa(n))
}

// QueryFilter reads a filter from a query string. Text that parses as JSON is that JSON, any
// other text is one expression. Empty text is no filter.
func QueryFilter(_ *decode.Loc, v *jsonvalue.Value) (json.RawMessage, *apierr.Error) {
	text := v.String()
	if text == "" {
		return nil, nil
	}
	if parsed, err := jsonvalue.Parse([]byte(text)); err == nil {
		return json.RawMessage(parsed.AppendJSON(nil)), nil
	}
	return json.RawMessage(jsonvalue.AppendString(nil, text)), nil
}

// QuerySort splits a list of sort expressions at its commas, except those inside a
// _geoPoint(...). A point extends to the next piece that ends like one. As in the
// reference, a point that is whole without a comma takes the next piece all the same, and a
// point inside another begins anew. Empty pieces stay, and fail later.
func QuerySort(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
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

var queryStrings = decode.QueryList(decode.Decoder[string](decode.String))

func queryDistinctStrings(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	list, err := queryStrings(at, v)
	return dropRepeated(list), err
}

func queryThreshold(at *decode.Loc, v *jsonvalue.Value) (float64, *apierr.Error) {
	f, ok := rustFloat(v.String(), 64)
	if !ok || f < 0 || f > 1 {
		return 0, at.Invalid(thresholdText)
	}
	return f, nil
}

func queryRatio(at *decode.Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
	f, ok := rustFloat(v.String(), 32)
	if !ok || f < 0 || f > 1 {
		return 0, at.Invalid(ratioText)
	}
	return float32(f), nil
}

func queryFloat32(at *decode.Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
	f, ok := rustFloat(v.String(), 32)
	if !ok {
		return 0, at.Invalid("invalid float literal")
	}
	return float32(f), nil
}

// rustFloat parses a decimal float. It refuses hexadecimal forms and underscores, which Go
// accepts, and NaN.
func rustFloat(text string, bits int) (float64, bool) {
	if strings.ContainsAny(text, "xXpP_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return 0, false
	}
	return f, true
}
