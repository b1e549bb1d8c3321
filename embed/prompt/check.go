package prompt

import (
	"errors"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// Check compiles templates of settings for package api/settings.
func Check() settings.Templates {
	return settings.Templates{
		Text: func(source string) error {
			_, err := Parse(source)
			return err
		},
		JSON: func(v *jsonvalue.Value) (path string, err error) {
			_, err = ParseJSON(v)
			var fault *ParseError
			if errors.As(err, &fault) {
				return fault.Path, fault.Cause
			}
			return "", err
		},
	}
}
