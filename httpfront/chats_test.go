package httpfront

import (
	"context"
	"maps"
	"slices"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
)

// fakeChats keeps workspaces in a map.
type fakeChats map[string]*api.ChatSettings

func (f fakeChats) Workspaces() []string { return slices.Sorted(maps.Keys(f)) }

func (f fakeChats) Settings(workspace string) *api.ChatSettings { return f[workspace] }

func (f fakeChats) UpdateSettings(_ context.Context, workspace string, p *api.ChatSettingsPatch) (*api.ChatSettings, error) {
	old := f[workspace]
	if old == nil {
		old = api.DefaultChatSettings()
	}
	next, err := old.Apply(p)
	if err != nil {
		return nil, err
	}
	f[workspace] = next
	return next, nil
}

func (f fakeChats) ResetSettings(_ context.Context, workspace string) (*api.ChatSettings, error) {
	if f[workspace] == nil {
		return nil, nil
	}
	f[workspace] = api.DefaultChatSettings()
	return f[workspace], nil
}

func (f fakeChats) DeleteWorkspace(_ context.Context, workspace string) (bool, error) {
	_, found := f[workspace]
	delete(f, workspace)
	return found, nil
}

func TestChatRoutes(t *testing.T) {
	f := &fake{}
	s := f.front(Config{}, func(p *Ports) { p.Chats = fakeChats{} })
	const suffix = " requires enabling the `chat completions` experimental feature. See https://github.com/orgs/meilisearch/discussions/835"
	for _, r := range []struct{ method, target, body, doing string }{
		{"GET", "/chats", "", "listing the chats"},
		{"GET", "/chats/a", "", "displaying a chat"},
		{"DELETE", "/chats/a", "", "deleting a chat"},
		{"GET", "/chats/a/settings", "", "using the /chats/settings route"},
		{"PATCH", "/chats/a/settings", "{}", "using the /chats/settings route"},
		{"DELETE", "/chats/a/settings", "", "using the /chats/settings route"},
		{"POST", "/chats/a/chat/completions", `{"model":"m","messages":[]}`, "using the /chats chat completions route"},
	} {
		expectError(t, call(t, s, r.method, r.target, r.body), 400, apierr.CodeFeatureNotEnabled, r.doing+suffix)
	}
	f.features.ChatCompletions = true
	expect(t, call(t, s, "GET", "/chats", ""), 200, `{"results":[],"offset":0,"limit":20,"total":0}`)
	expectError(t, call(t, s, "GET", "/chats/a", ""), 404, apierr.CodeChatNotFound, "chat a not found")
	expectError(t, call(t, s, "DELETE", "/chats/a", ""), 404, apierr.CodeChatNotFound, "chat a not found")
	expectError(t, call(t, s, "GET", "/chats/a/settings", ""), 404, apierr.CodeChatNotFound, "Chat `a` not found")
	expectError(t, call(t, s, "DELETE", "/chats/a/settings", ""), 404, apierr.CodeChatNotFound, "Chat `a` not found")

	shown := `{"source":"mistral","orgId":null,"projectId":null,"apiVersion":null,"deploymentId":null,"baseUrl":null,"apiKey":"XXX...",` +
		`"prompts":{"system":"s","searchDescription":"d","searchQParam":"q","searchFilterParam":"f","searchIndexUidParam":"i"}}`
	expect(t, call(t, s, "PATCH", "/chats/a/settings", `{"source":"mistral","apiKey":"secret","prompts":{"system":"s","searchDescription":"d","searchQParam":"q","searchFilterParam":"f","searchIndexUidParam":"i"}}`), 200, shown)
	expect(t, call(t, s, "GET", "/chats/a/settings", ""), 200, shown)
	expect(t, call(t, s, "GET", "/chats/a", ""), 200, `{"uid":"a"}`)
	for body, want := range map[string][2]string{
		`{"source":"me"}`: {"bad_request", "Unknown value `me` at `.source`: expected one of `openAi`, `mistral`, `azureOpenAi`, `vLlm`"},
		`{"orgId":1}`:     {"invalid_chat_completion_org_id", "Invalid value type at `.orgId`: expected a string, but found a positive integer: `1`"},
		`{"prompts":{"system":1}}`: {"invalid_chat_completion_system_prompt",
			"Invalid value type at `.prompts.system`: expected a string, but found a positive integer: `1`"},
		`{"source":"vLlm"}`:        {"bad_request", "vLlm requires setting a valid `baseUrl`"},
		`{"source":"azureOpenAi"}`: {"bad_request", "azureOpenAi requires setting a valid `baseUrl`, `deploymentId`, and `apiVersion`"},
	} {
		code, _ := apierr.CodeByName(want[0])
		expectError(t, call(t, s, "PATCH", "/chats/a/settings", body), 400, code, want[1])
	}
	expect(t, call(t, s, "GET", "/chats?limit=0", ""), 200, `{"results":[],"offset":0,"limit":0,"total":1}`)
	expectError(t, call(t, s, "GET", "/chats?offset=x", ""), 400, apierr.CodeInvalidIndexOffset, "Invalid value in parameter `offset`: could not parse `x` as a positive integer")
	if w := call(t, s, "DELETE", "/chats/a/settings", ""); w.Code != 200 {
		t.Errorf("reset: %d %s", w.Code, w.Body)
	}
	expect(t, call(t, s, "DELETE", "/chats/a", ""), 204, "")
}
