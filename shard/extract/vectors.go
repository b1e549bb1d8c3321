package extract

import (
	"fmt"

	"shoal/api"
)

// notAMap is the reference's text for a value that should be an object (spec
// write-api 8.3).
func notAMap(v *api.Value, raw []byte) error {
	found := ""
	switch v.Kind() {
	case api.KindNull:
		found = "null"
	case api.KindBool:
		found = fmt.Sprintf("boolean `%v`", v.Bool())
	case api.KindPositive, api.KindNegative:
		found = fmt.Sprintf("integer `%s`", v.JSON())
	case api.KindFloat:
		found = fmt.Sprintf("floating point `%s`", v.JSON())
	case api.KindString:
		found = "string " + v.JSON()
	case api.KindArray:
		found = "sequence"
	}
	line, column := api.Position(raw)
	if v.Kind() == api.KindArray || v.Kind() == api.KindNull {
		column = 0
	}
	return api.NewError(api.CodeInternal, fmt.Sprintf("invalid type: %s, expected a map at line %d column %d", found, line, column))
}
