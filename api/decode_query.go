package api

import (
	"net/url"
	"strconv"
	"strings"
)

// ParseQuery turns a raw query string into an object of strings, in the order of
// appearance; a repeated parameter keeps its first place and its last value. A
// parameter without "=" is the empty string, "+" is a blank, and a percent sign
// that starts no escape stands for itself (spec write-api 2.3).
func ParseQuery(raw string) Value {
	v := Value{kind: KindObject}
	var places map[string]int
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		places = v.put(decodeForm(name), StringValue(decodeForm(value)), places)
	}
	return v
}

func decodeForm(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	plain, err := url.QueryUnescape(s)
	if err != nil {
		plain = lenientUnescape(s)
	}
	return strings.ToValidUTF8(plain, "\uFFFD")
}

// lenientUnescape decodes what is an escape and keeps what is not.
func lenientUnescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil { // two hex digits always parse
				b.WriteByte(s[i])
				continue
			}
			b.WriteByte(byte(n))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// QueryUint accepts the text of an integer of 0 .. 2^64-1.
func QueryUint(at *Loc, v *Value) (uint64, *Error) { return queryUint(at, v, 64) }

// QueryUint32 accepts the text of an integer of 0 .. 2^32-1.
func QueryUint32(at *Loc, v *Value) (uint32, *Error) {
	n, err := queryUint(at, v, 32)
	return uint32(n), err
}

func queryUint(at *Loc, v *Value, bits int) (uint64, *Error) {
	text := v.String()
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, bits)
	if err != nil {
		return 0, at.Invalid("could not parse `" + text + "` as a positive integer")
	}
	return n, nil
}

// QueryBool accepts "true" and "false".
func QueryBool(at *Loc, v *Value) (bool, *Error) {
	switch v.String() {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, at.Invalid("could not parse `" + v.String() + "` as a boolean, expected either `true` or `false`")
}

// QueryList accepts a comma list: pieces are not trimmed, empty ones are
// dropped, the result is never nil. An element's place is p[i] when there are
// several, else p.
func QueryList[T any](dec Decoder[T]) Decoder[[]T] {
	return func(at *Loc, v *Value) ([]T, *Error) {
		pieces := commaPieces(v.String())
		out := make([]T, 0, len(pieces))
		for i, piece := range pieces {
			loc := at
			if len(pieces) > 1 {
				element := at.Element(i)
				loc = &element
			}
			text := StringValue(piece)
			t, err := dec(loc, &text)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
		return out, nil
	}
}

// QueryStarList is QueryList with one more rule: a "*" anywhere in the list
// means everything, nil. The other elements are checked nevertheless.
func QueryStarList[T any](dec Decoder[T]) Decoder[[]T] {
	return func(at *Loc, v *Value) ([]T, *Error) {
		pieces := commaPieces(v.String())
		out, everything := make([]T, 0, len(pieces)), false
		for i, piece := range pieces {
			if piece == "*" {
				everything = true
				continue
			}
			loc := at
			if len(pieces) > 1 {
				element := at.Element(i)
				loc = &element
			}
			text := StringValue(piece)
			t, err := dec(loc, &text)
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
