package auth

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// member is a member of a part of a token, and its place there.
type member struct {
	name       string
	value      jsonvalue.Value
	text       []byte // the whole part
	begin, end int    // of the value
}

// stop is where the reference's parser stops when a value has the wrong type: before an array
// or object, behind another value.
func (m *member) stop() int {
	if kind := m.value.Kind(); kind == jsonvalue.KindArray || kind == jsonvalue.KindObject {
		return m.begin
	}
	return m.end
}

// object is one of the two parts of a token that hold an object.
type object struct {
	name  string          // as messages of the reference name it
	known map[string]bool // members that must not come twice
	// before: the parser stops before an array in its place, not behind it.
	before bool
}

// readMembers reads the members of a part of a token in the order of its text and refuses the
// first fault, as the reference's parser does: take tells what is wrong with a member, if
// anything, and where the parser stopped. text is the part decoded, without the white space
// behind it. seen are the names that were read.
func (o *object) readMembers(part string, take func(m *member) (fault string, stop int)) (text []byte, seen map[string]bool, _ *apierr.Error) {
	data, refusal := decodePart(part)
	if refusal != nil {
		return nil, nil, refusal
	}
	text = bytes.TrimRight(data, " \t\r\n")
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte{'{'}) {
		seen, refusal = o.members(data, text, take)
		return text, seen, refusal
	}
	v, err := jsonvalue.Parse(data)
	if err != nil {
		return nil, nil, undecodable("JSON error: " + err.Error())
	}
	end := len(text)
	if o.before && v.Kind() == jsonvalue.KindArray {
		end = 0
	}
	return nil, nil, misread("invalid type: "+v.Describe()+", expected struct "+o.name, text, end)
}

func (o *object) members(data, text []byte, take func(m *member) (fault string, stop int)) (seen map[string]bool, _ *apierr.Error) {
	seen = map[string]bool{}
	members := json.NewDecoder(bytes.NewReader(data))
	_, err := members.Token()
	for err == nil && members.More() {
		var name json.Token
		if name, err = members.Token(); err != nil {
			break
		}
		m := &member{text: text}
		m.name, _ = name.(string)
		named := int(members.InputOffset())
		if !utf8.Valid(text[:named]) {
			if _, err := jsonvalue.Parse(text[:named]); err != nil {
				return nil, undecodable("JSON error: " + err.Error())
			}
		}
		var raw json.RawMessage
		if err = members.Decode(&raw); err != nil {
			break
		}
		if seen[m.name] && o.known[m.name] {
			return nil, misread("duplicate field `"+m.name+"`", text, named)
		}
		seen[m.name] = true
		m.end = int(members.InputOffset())
		m.begin = m.end - len(raw)
		if m.value, err = jsonvalue.Parse(raw); err != nil {
			break
		}
		if fault, stop := take(m); fault != "" {
			return nil, misread(fault, text, stop)
		}
	}
	if _, ended := members.Token(); err != nil || ended != nil || len(text) > int(members.InputOffset()) {
		if _, err := jsonvalue.Parse(data); err != nil {
			return nil, undecodable("JSON error: " + err.Error())
		}
	}
	return seen, nil
}

// misread refuses a part of a token for a fault behind the first n bytes of its text.
func misread(reason string, text []byte, n int) *apierr.Error {
	line, column := jsonvalue.Position(text[:n])
	return undecodable("JSON error: " + reason + " at line " + strconv.Itoa(line) + " column " + strconv.Itoa(column))
}
