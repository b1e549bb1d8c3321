package api

import (
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// ChatSettings are the settings of a workspace of /chats (spec search-api 16): the language
// model and its prompts. Values are immutable.
type ChatSettings struct {
	Source       string      `json:"source"`
	OrgID        *string     `json:"orgId"`
	ProjectID    *string     `json:"projectId"`
	APIVersion   *string     `json:"apiVersion"`
	DeploymentID *string     `json:"deploymentId"`
	BaseURL      *string     `json:"baseUrl"`
	APIKey       *string     `json:"apiKey"`
	Prompts      ChatPrompts `json:"prompts"`
}

// ChatPrompts tell the model its task and how to search.
type ChatPrompts struct {
	System              string `json:"system"`
	SearchDescription   string `json:"searchDescription"`
	SearchQParam        string `json:"searchQParam"`
	SearchFilterParam   string `json:"searchFilterParam"`
	SearchIndexUIDParam string `json:"searchIndexUidParam"`
}

// Sources of chat completions.
const (
	ChatOpenAI      = "openAi"
	ChatMistral     = "mistral"
	ChatAzureOpenAI = "azureOpenAi"
	ChatVLLM        = "vLlm"
)

// DefaultChatSettings are the settings of a new workspace.
func DefaultChatSettings() *ChatSettings {
	return &ChatSettings{Source: ChatOpenAI, Prompts: ChatPrompts{
		System: "You answer questions with the help of a search engine. Search before you answer, several times and in other words when that " +
			"may find more, and say what you are looking for. Rely on what the searches return, and say so when they return nothing useful.",
		SearchDescription: "Searches an index and returns the documents that match best.",
		SearchQParam: "The words to search for: the few that matter most, in the language of the documents. " +
			"An empty text matches every document.",
		SearchFilterParam: "A filter expression that documents must satisfy, or an empty text. Operators: =, !=, >, >=, <, <=, TO, IN [..], EXISTS, " +
			"IS NULL, IS EMPTY, AND, OR, NOT and parentheses. Quote values that hold blanks. Only the attributes listed here can be filtered on:",
		SearchIndexUIDParam: "The index to search in. Choose the one whose description fits the question.",
	}}
}

// ChatSettingsPatch changes a workspace: null resets a member to its default, an absent
// member stays.
type ChatSettingsPatch struct {
	Source                                                   decode.Field[string]
	OrgID, ProjectID, APIVersion, DeploymentID, BaseURL, Key decode.Field[string]
	Prompts                                                  decode.Field[ChatPromptsPatch]
}

// ChatPromptsPatch changes the prompts of a workspace.
type ChatPromptsPatch struct {
	System, SearchDescription, SearchQParam, SearchFilterParam, SearchIndexUIDParam decode.Field[string]
}

var chatPromptFields = decode.NewObject(
	decode.Tristate("system", apierr.CodeInvalidChatCompletionSystemPrompt, decode.String, func(p *ChatPromptsPatch) *decode.Field[string] { return &p.System }),
	decode.Tristate("searchDescription", apierr.CodeInvalidChatCompletionSearchDescriptionPrompt, decode.String, func(p *ChatPromptsPatch) *decode.Field[string] { return &p.SearchDescription }),
	decode.Tristate("searchQParam", apierr.CodeInvalidChatCompletionSearchQueryParamPrompt, decode.String, func(p *ChatPromptsPatch) *decode.Field[string] { return &p.SearchQParam }),
	decode.Tristate("searchFilterParam", apierr.CodeInvalidChatCompletionSearchFilterParamPrompt, decode.String, func(p *ChatPromptsPatch) *decode.Field[string] { return &p.SearchFilterParam }),
	decode.Tristate("searchIndexUidParam", apierr.CodeInvalidChatCompletionSearchIndexUIDParamPrompt, decode.String, func(p *ChatPromptsPatch) *decode.Field[string] { return &p.SearchIndexUIDParam }),
)

// ChatSettingsFields is the body of PATCH /chats/{workspace}/settings.
var ChatSettingsFields = decode.NewObject(
	decode.Tristate("source", apierr.Code{}, decode.OneOf(ChatOpenAI, ChatMistral, ChatAzureOpenAI, ChatVLLM), func(p *ChatSettingsPatch) *decode.Field[string] { return &p.Source }),
	decode.Tristate("orgId", apierr.CodeInvalidChatCompletionOrgID, decode.String, func(p *ChatSettingsPatch) *decode.Field[string] { return &p.OrgID }),
	decode.Tristate("projectId", apierr.CodeInvalidChatCompletionProjectID, decode.String, func(p *ChatSettingsPatch) *decode.Field[string] { return &p.ProjectID }),
	decode.Tristate("apiVersion", apierr.CodeInvalidChatCompletionAPIVersion, decode.String, func(p *ChatSettingsPatch) *decode.Field[string] { return &p.APIVersion }),
	decode.Tristate("deploymentId", apierr.CodeInvalidChatCompletionDeploymentID, decode.String, func(p *ChatSettingsPatch) *decode.Field[string] { return &p.DeploymentID }),
	decode.Tristate("baseUrl", apierr.CodeInvalidChatCompletionBaseAPI, decode.String, func(p *ChatSettingsPatch) *decode.Field[string] { return &p.BaseURL }),
	decode.Tristate("apiKey", apierr.CodeInvalidChatCompletionAPIKey, decode.String, func(p *ChatSettingsPatch) *decode.Field[string] { return &p.Key }),
	decode.Tristate("prompts", apierr.Code{}, chatPromptFields.Read,
		func(p *ChatSettingsPatch) *decode.Field[ChatPromptsPatch] { return &p.Prompts }),
)

// Apply lays a patch over the settings and returns new ones, or an error if the source
// cannot work with them.
func (s *ChatSettings) Apply(p *ChatSettingsPatch) (*ChatSettings, *apierr.Error) {
	next, fresh := *s, DefaultChatSettings()
	patchText(&next.Source, p.Source, fresh.Source)
	patchOptional(&next.OrgID, p.OrgID)
	patchOptional(&next.ProjectID, p.ProjectID)
	patchOptional(&next.APIVersion, p.APIVersion)
	patchOptional(&next.DeploymentID, p.DeploymentID)
	patchOptional(&next.BaseURL, p.BaseURL)
	patchOptional(&next.APIKey, p.Key)
	if p.Prompts.IsNull() {
		next.Prompts = fresh.Prompts
	}
	prompts := &p.Prompts.Value
	patchText(&next.Prompts.System, prompts.System, fresh.Prompts.System)
	patchText(&next.Prompts.SearchDescription, prompts.SearchDescription, fresh.Prompts.SearchDescription)
	patchText(&next.Prompts.SearchQParam, prompts.SearchQParam, fresh.Prompts.SearchQParam)
	patchText(&next.Prompts.SearchFilterParam, prompts.SearchFilterParam, fresh.Prompts.SearchFilterParam)
	patchText(&next.Prompts.SearchIndexUIDParam, prompts.SearchIndexUIDParam, fresh.Prompts.SearchIndexUIDParam)
	switch {
	case next.Source == ChatAzureOpenAI && (next.BaseURL == nil || next.DeploymentID == nil || next.APIVersion == nil):
		return nil, apierr.New(apierr.CodeBadRequest, "azureOpenAi requires setting a valid `baseUrl`, `deploymentId`, and `apiVersion`")
	case next.Source == ChatVLLM && next.BaseURL == nil:
		return nil, apierr.New(apierr.CodeBadRequest, "vLlm requires setting a valid `baseUrl`")
	}
	return &next, nil
}

func patchText(to *string, f decode.Field[string], fresh string) {
	switch {
	case f.IsSet():
		*to = f.Value
	case f.IsNull():
		*to = fresh
	}
}

func patchOptional(to **string, f decode.Field[string]) {
	switch {
	case f.IsSet():
		*to = &f.Value
	case f.IsNull():
		*to = nil
	}
}

// Masked returns the settings for display: the key of the provider is hidden.
func (s *ChatSettings) Masked() *ChatSettings {
	shown := *s
	if s.APIKey != nil {
		key := jsonvalue.MaskSecret(*s.APIKey)
		shown.APIKey = &key
	}
	return &shown
}

// ChatNotFound: no workspace has that name.
func ChatNotFound(workspace string) *apierr.Error {
	return apierr.New(apierr.CodeChatNotFound, "chat "+workspace+" not found")
}

// ChatSettingsNotFound is ChatNotFound in the words of the routes for settings and
// completions.
func ChatSettingsNotFound(workspace string) *apierr.Error {
	return apierr.New(apierr.CodeChatNotFound, "Chat `"+workspace+"` not found")
}
