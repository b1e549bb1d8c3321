package httpfront

import (
	"slices"
	"strings"

	"shoal/api"
)

// locale accepts one language code of a body.
func locale(at *api.Loc, v *api.Value) (string, *api.Error) {
	text, err := api.String(at, v)
	if err == nil && !slices.Contains(api.Locales, text) {
		return "", at.UnknownValue(text, api.Locales)
	}
	return text, err
}

// localesText lists them as refusals in query strings do.
var localesText = strings.Join(queryLocales(), ", ")

// queryLocales sorts the codes by length, then alphabetically.
func queryLocales() []string {
	sorted := slices.Clone(api.Locales)
	slices.SortFunc(sorted, func(a, b string) int {
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return sorted
}

// queryLocale accepts one language code of a query string.
func queryLocale(at *api.Loc, v *api.Value) (string, *api.Error) {
	if !slices.Contains(api.Locales, v.String()) {
		return "", at.Invalid("Unsupported locale `" + v.String() + "`, expected one of " + localesText)
	}
	return v.String(), nil
}
