package liquid

import "shoal/api/jsonvalue"

// jsonText is a value as JSON.
func (c *call) jsonText(v any) string {
	return string(c.appendJSON(nil, v))
}

func (c *call) appendJSON(dst []byte, v any) []byte {
	c.budget.step(1)
	c.budget.room(len(dst))
	switch v := v.(type) {
	case list:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = c.appendJSON(dst, item)
		}
		return append(dst, ']')
	case data:
		if v.missing == nil {
			return v.json.AppendJSON(dst)
		}
	case string:
		c.budget.room(len(dst) + 6*len(v))
		return jsonvalue.AppendString(dst, v)
	case bool, int, float64:
		return append(dst, shown(v)...)
	case span:
		return jsonvalue.AppendString(dst, shown(v))
	}
	return append(dst, "null"...)
}
