package dump

import (
	"encoding/json"
	"fmt"
	"time"

	"shoal/api/jsonvalue"
)

// date is a time in UnixNano, 0 for none. Its JSON form is RFC 3339 or null.
type date int64

// MarshalJSON writes the date in UTC.
func (d date) MarshalJSON() ([]byte, error) { return jsonvalue.AppendTime(nil, int64(d)), nil }

// UnmarshalJSON reads RFC 3339. It also reads the shorter forms that the reference accepts for
// keys, as UTC.
func (d *date) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == nil {
		*d = 0
		return nil
	}
	at, err := parseDate(*text)
	if err != nil {
		return err
	}
	*d = date(jsonvalue.Nanos(at))
	return nil
}

func parseDate(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a date", text)
}
