package api

import (
	"bytes"
	"context"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Names of the functions of a conversation (spec search-api 16). The model gets only the
// first. The others are defined by clients, which are told of progress through them.
const (
	ChatFunctionSearch   = "_meiliSearchInIndex"
	ChatFunctionProgress = "_meiliSearchProgress"
	ChatFunctionSources  = "_meiliSearchSources"
	ChatFunctionAppend   = "_meiliAppendConversationMessage"
)

// ChatRequest is the body of a chat completion in the form of OpenAI's API. Messages and
// unknown members go to the model unchanged.
type ChatRequest struct {
	Model    string
	Stream   bool
	Messages []jsonvalue.Member
	// Progress, Sources and Append: the client wants to be told of searches, of their hits,
	// and of messages that are added to the conversation.
	Progress, Sources, Append bool
	// Rest are the members that go to the model unread.
	Rest []jsonvalue.Member
	// several is the requested number of answers if it is not one.
	several string
	tools   []string
}

// ChatDesk is what a conversation may do on behalf of its caller. Safe for concurrent use.
type ChatDesk interface {
	// Indexes lists the indexes that the caller may see, by uid.
	Indexes(ctx context.Context) ([]ChatIndex, error)
	// Search looks for documents. It returns a *Error that both the model and the client
	// are told. A fault of q or filter alone is told only to the model, in Found.Text.
	Search(ctx context.Context, uid string, q, filter *string) (*ChatFound, error)
}

// ChatIndex describes an index to the model: its description, and the values of its
// filterable attributes, one attribute per line.
type ChatIndex struct{ UID, Description, Facets string }

// ChatFound holds documents as clients see them, and as text for the model.
type ChatFound struct {
	Documents [][]byte
	Text      string
}

// ParseChatRequest reads the body, whose value is v. Its errors are those of a body that
// does not decode.
func ParseChatRequest(body []byte, v *jsonvalue.Value) (*ChatRequest, *apierr.Error) {
	bad := func(what string) *apierr.Error {
		return apierr.New(apierr.CodeBadRequest, "Json deserialize error: "+what+" at "+jsonEnd(body))
	}
	if v.Kind() != jsonvalue.KindObject {
		return nil, bad("invalid type: " + v.Describe() + ", expected struct CreateChatCompletionRequest")
	}
	r := &ChatRequest{}
	var model, messages bool
	for i := range v.Members() {
		m := &v.Members()[i]
		switch m.Name {
		case "model":
			if model = m.Value.Kind() == jsonvalue.KindString; !model {
				return nil, bad("invalid type: " + m.Value.Describe() + ", expected a string")
			}
			r.Model = m.Value.String()
		case "messages":
			if messages = m.Value.Kind() == jsonvalue.KindArray; !messages {
				return nil, bad("invalid type: " + m.Value.Describe() + ", expected a sequence")
			}
			r.Messages = m.Value.Members()
		case "stream":
			if !m.Value.IsNull() && m.Value.Kind() != jsonvalue.KindBool {
				return nil, bad("invalid type: " + m.Value.Describe() + ", expected a boolean")
			}
			r.Stream = m.Value.Bool()
		case "n":
			if text := m.Value.JSON(); text != "1" && text != "null" {
				r.several = text
			}
		case "tools":
			if err := r.addTools(&m.Value); err != "" {
				return nil, bad(err)
			}
		case "stream_options":
		default:
			r.Rest = append(r.Rest, *m)
		}
	}
	switch {
	case !messages:
		return nil, bad("missing field `messages`")
	case !model:
		return nil, bad("missing field `model`")
	}
	for i := range r.Messages {
		m := &r.Messages[i].Value
		if role := m.Get("role"); m.Kind() != jsonvalue.KindObject || role == nil || role.Kind() != jsonvalue.KindString {
			return nil, bad("missing field `role`")
		}
	}
	return r, nil
}

// addTools notes the functions that the client defines.
func (r *ChatRequest) addTools(tools *jsonvalue.Value) (fault string) {
	if tools.IsNull() {
		return ""
	}
	if tools.Kind() != jsonvalue.KindArray {
		return "invalid type: " + tools.Describe() + ", expected a sequence"
	}
	for i := range tools.Members() {
		t := &tools.Members()[i].Value
		function := t.Get("function")
		if function == nil {
			return "missing field `function`"
		}
		name := function.Get("name")
		if name == nil || name.Kind() != jsonvalue.KindString {
			return "missing field `name`"
		}
		switch name.String() {
		case ChatFunctionProgress:
			r.Progress = true
		case ChatFunctionSources:
			r.Sources = true
		case ChatFunctionAppend:
			r.Append = true
		default:
			r.tools = append(r.tools, name.String())
		}
	}
	return ""
}

// CheckStream refuses what conversations cannot do. It runs before the workspace is looked
// up.
func (r *ChatRequest) CheckStream() *apierr.Error {
	switch {
	case r.several != "":
		return apierr.New(apierr.CodeUnimplementedMultiChoiceChatCompletions,
			"You tried to specify n = "+r.several+" but only single choices are supported (n = 1).")
	case !r.Stream:
		return apierr.New(apierr.CodeUnimplementedNonStreamingChatCompletions, "Non-streamed chat completions is not implemented")
	}
	return nil
}

// CheckTools refuses functions that a client may not define.
func (r *ChatRequest) CheckTools() *apierr.Error {
	if len(r.tools) == 0 {
		return nil
	}
	name := r.tools[0]
	if name == ChatFunctionSearch {
		return apierr.New(apierr.CodeBadRequest, name+" function is already defined.")
	}
	return apierr.New(apierr.CodeUnimplementedExternalFunctionCalling, name+": External functions are not supported yet.")
}

// jsonEnd is the position at which a JSON text ends.
func jsonEnd(body []byte) string {
	line, column := jsonvalue.Position(bytes.TrimRight(body, " \t\r\n"))
	return "line " + strconv.Itoa(line) + " column " + strconv.Itoa(column)
}
