package staged

import (
	"bytes"
	"encoding/base64"
)

// storedVectors is the name, as JSON, of the member that carries vectors from shard to shard.
// Documents of clients may have such a member, but not as the last one that counts.
const storedVectors = `"\u0000vectors":"`

// AppendVectors adds the stored form of a document's vectors to its JSON object, as the last
// member.
func AppendVectors(doc, stored []byte) []byte {
	doc = bytes.TrimSuffix(doc, []byte("}"))
	if len(doc) > 1 {
		doc = append(doc, ',')
	}
	doc = append(doc, storedVectors...)
	doc = base64.StdEncoding.AppendEncode(doc, stored)
	return append(doc, `"}`...)
}

// CutVectors separates what AppendVectors joined. ok is false when the document has no such
// member.
func CutVectors(joined []byte) (doc, stored []byte, ok bool) {
	at := bytes.LastIndex(joined, []byte(storedVectors))
	if at < 0 {
		return joined, nil, false
	}
	text, closed := bytes.CutSuffix(joined[at+len(storedVectors):], []byte(`"}`))
	stored, err := base64.StdEncoding.AppendDecode(nil, text)
	if !closed || err != nil {
		return joined, nil, false
	}
	doc = append([]byte(nil), bytes.TrimSuffix(joined[:at], []byte(","))...)
	return append(doc, '}'), stored, true
}
