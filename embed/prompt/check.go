package prompt

import (
	"errors"
	"regexp"
	"strings"

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

// opaque matches the start of a block whose content is not a template.
var opaque = regexp.MustCompile(`^\{%-?\s*(raw|comment)\s*-?%\}`)

// unclosed is the offset of the first "{{" or "{%" without an end, or negative. The parser
// accepts such a rest as plain text; the reference refuses it.
func unclosed(source string) int {
	for at := 0; ; {
		next := strings.IndexByte(source[at:], '{')
		if next < 0 || at+next+1 >= len(source) {
			return -1
		}
		at += next
		end := ""
		switch source[at+1] {
		case '{':
			end = "}}"
		case '%':
			end = "%}"
		default:
			at++
			continue
		}
		if block := opaque.FindStringSubmatch(source[at:]); block != nil {
			ending := regexp.MustCompile(`\{%-?\s*end` + block[1] + `\s*-?%\}`).FindStringIndex(source[at:])
			if ending == nil {
				return -1
			}
			at += ending[1]
			continue
		}
		stop := strings.Index(source[at+2:], end)
		if stop < 0 {
			return at
		}
		at += 2 + stop + len(end)
	}
}
