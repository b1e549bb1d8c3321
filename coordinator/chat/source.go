package chat

import (
	"net/url"
	"strings"

	"shoal/api"
	"shoal/api/decode"
)

// bases are the default base URLs of the sources.
var bases = map[string]string{
	api.ChatOpenAI:  "https://api.openai.com/v1",
	api.ChatMistral: "https://api.mistral.ai/v1",
}

// endpoint returns the address and the headers for completions of a workspace.
func endpoint(s *api.ChatSettings) (address string, headers []decode.Entry[string]) {
	base := bases[s.Source]
	if s.BaseURL != nil {
		base = *s.BaseURL
	}
	base = strings.TrimRight(base, "/")
	add := func(name string, value *string, prefix string) {
		if value != nil && *value != "" {
			headers = append(headers, decode.Entry[string]{Name: name, Value: prefix + *value})
		}
	}
	kind, accept := "application/json", "text/event-stream"
	add("Content-Type", &kind, "")
	add("Accept", &accept, "")
	if s.Source == api.ChatAzureOpenAI {
		add("api-key", s.APIKey, "")
		deployment, version := "", ""
		if s.DeploymentID != nil {
			deployment = *s.DeploymentID
		}
		if s.APIVersion != nil {
			version = *s.APIVersion
		}
		return base + "/openai/deployments/" + url.PathEscape(deployment) + "/chat/completions?api-version=" + url.QueryEscape(version), headers
	}
	add("Authorization", s.APIKey, "Bearer ")
	add("OpenAI-Organization", s.OrgID, "")
	add("OpenAI-Project", s.ProjectID, "")
	return base + "/chat/completions", headers
}

// oldModels expect the role system. Newer models call it developer.
var oldModels = []string{"gpt-3.5", "gpt-4", "gpt-4.1", "gpt-4.5", "gpt-4o", "chatgpt-4o"}

// systemRole returns the role of a workspace's system prompt.
func systemRole(source, model string) string {
	if source != api.ChatOpenAI && source != api.ChatAzureOpenAI {
		return "system"
	}
	for _, old := range oldModels {
		if rest, ok := strings.CutPrefix(model, old); ok && (rest == "" || rest[0] == '-') {
			return "system"
		}
	}
	return "developer"
}
