package parameter

import (
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// locale accepts one language code of a body.
func locale(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	text, err := decode.String(at, v)
	if err == nil && !slices.Contains(settings.Locales, text) {
		return "", at.UnknownValue(text, settings.Locales)
	}
	return text, err
}

// localesText lists the codes as refusals of query strings do.
var localesText = strings.Join(queryLocales(), ", ")

// queryLocales sorts the codes by length, then alphabetically.
func queryLocales() []string {
	sorted := slices.Clone(settings.Locales)
	slices.SortFunc(sorted, func(a, b string) int {
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return sorted
}

// queryLocale accepts one language code of a query string.
func queryLocale(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	if !slices.Contains(settings.Locales, v.String()) {
		return "", at.Invalid("Unsupported locale `" + v.String() + "`, expected one of " + localesText)
	}
	return v.String(), nil
}
