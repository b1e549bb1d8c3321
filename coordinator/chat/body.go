package chat

import (
	"shoal/api"
	"shoal/api/jsonvalue"
)

// systemMessage returns the first message of a conversation.
func systemMessage(s *api.ChatSettings, model string) []byte {
	dst := jsonvalue.AppendString([]byte(`{"role":`), systemRole(s.Source, model))
	return append(jsonvalue.AppendString(append(dst, `,"content":`...), s.Prompts.System), '}')
}

// searchTool describes the function that the model may call, with the indexes that the caller
// may see.
func searchTool(p *api.ChatPrompts, indexes []api.ChatIndex) []byte {
	about, filters := p.SearchDescription, p.SearchFilterParam
	for i := range indexes {
		x := &indexes[i]
		about += "\n\n - " + x.UID + ": " + x.Description + "\n\n"
		filters += "\n## Facet distributions of the " + x.UID + " index\n" + x.Facets + "\n"
	}
	dst := jsonvalue.AppendString([]byte(`{"type":"function","function":{"name":`), api.ChatFunctionSearch)
	dst = jsonvalue.AppendString(append(dst, `,"description":`...), about)
	dst = append(dst, `,"parameters":{"type":"object","properties":{"index_uid":{"type":"string","enum":[`...)
	for i := range indexes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonvalue.AppendString(dst, indexes[i].UID)
	}
	dst = jsonvalue.AppendString(append(dst, `],"description":`...), p.SearchIndexUIDParam)
	dst = jsonvalue.AppendString(append(dst, `},"q":{"type":"string","description":`...), p.SearchQParam)
	dst = jsonvalue.AppendString(append(dst, `},"filter":{"type":"string","description":`...), filters)
	return append(dst, `}},"required":["index_uid","q","filter"],"additionalProperties":false},"strict":true}}`...)
}

// body returns the request to the model for this round.
func (c *Conversation) body() []byte {
	dst := []byte(`{"messages":[`)
	for i, m := range c.messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m...)
	}
	dst = jsonvalue.AppendString(append(dst, `],"model":`...), c.request.Model)
	for i := range c.request.Rest {
		m := &c.request.Rest[i]
		dst = m.Value.AppendJSON(append(jsonvalue.AppendString(append(dst, ','), m.Name), ':'))
	}
	dst = append(append(append(dst, `,"tools":[`...), c.tool...), `],"stream":true`...)
	if c.settings.Source == api.ChatOpenAI || c.settings.Source == api.ChatAzureOpenAI {
		dst = append(dst, `,"stream_options":{"include_usage":true}`...)
	}
	return append(dst, '}')
}

// callsMessage returns the message in which the model calls searches.
func callsMessage(calls []call) []byte {
	dst := []byte(`{"role":"assistant","tool_calls":[`)
	for i := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = calls[i].appendTo(dst)
	}
	return append(dst, `]}`...)
}

// foundMessage returns the message that answers a call.
func foundMessage(id, text string) []byte {
	dst := jsonvalue.AppendString([]byte(`{"role":"tool","content":`), text)
	return append(jsonvalue.AppendString(append(dst, `,"tool_call_id":`...), id), '}')
}
