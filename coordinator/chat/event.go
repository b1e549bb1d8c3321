package chat

import (
	"github.com/google/uuid"

	"shoal/api/jsonvalue"
)

// done ends a stream.
var done = []byte("[DONE]")

// notice returns an event that reports something to the client as a call of a function that the
// client has defined, as if the model had called it. like is the model's event that it follows.
func notice(like *jsonvalue.Value, function string, arguments []byte) []byte {
	dst := []byte(`{"id":`)
	dst = appendMember(dst, like, "id", `""`)
	dst = append(dst, `,"choices":[{"index":0,"delta":{"content":null,"function_call":null,"tool_calls":[{"index":0,"id":`...)
	dst = jsonvalue.AppendString(dst, uuid.NewString())
	dst = jsonvalue.AppendString(append(dst, `,"type":"function","function":{"name":`...), function)
	dst = jsonvalue.AppendString(append(dst, `,"arguments":`...), string(arguments))
	dst = append(dst, `}}],"role":"assistant","refusal":null},"finish_reason":null,"logprobs":null}],"created":`...)
	dst = appendMember(dst, like, "created", "0")
	dst = appendMember(append(dst, `,"model":`...), like, "model", `""`)
	dst = appendMember(append(dst, `,"service_tier":`...), like, "service_tier", "null")
	dst = appendMember(append(dst, `,"system_fingerprint":`...), like, "system_fingerprint", "null")
	return append(dst, `,"object":"chat.completion.chunk","usage":null}`...)
}

func appendMember(dst []byte, like *jsonvalue.Value, name, otherwise string) []byte {
	if v := like.Get(name); v != nil {
		return v.AppendJSON(dst)
	}
	return append(dst, otherwise...)
}

// progressArguments describe a search that begins.
func progressArguments(c *call) []byte {
	dst := jsonvalue.AppendString([]byte(`{"call_id":`), c.id)
	dst = jsonvalue.AppendString(append(dst, `,"function_name":`...), c.name)
	return append(jsonvalue.AppendString(append(dst, `,"function_arguments":`...), c.arguments), '}')
}

// sourcesArguments list the documents that a search found.
func sourcesArguments(id string, documents [][]byte) []byte {
	dst := append(jsonvalue.AppendString([]byte(`{"call_id":`), id), `,"sources":[`...)
	for i, d := range documents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d...)
	}
	return append(dst, `]}`...)
}
