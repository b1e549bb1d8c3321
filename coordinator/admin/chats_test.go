package admin

import (
	"context"
	"errors"
	"slices"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/coordinator/coordtest"
)

func TestChatWorkspaces(t *testing.T) {
	ctx := context.Background()
	chats := NewChats(coordtest.NewMetaLog())
	key, system := decode.Set("0123456789abcdef"), decode.Set("be brief")
	made, err := chats.UpdateSettings(ctx, "b", &api.ChatSettingsPatch{Key: key, Prompts: decode.Set(api.ChatPromptsPatch{System: system})})
	if err != nil || made.Source != api.ChatOpenAI || made.Prompts.System != "be brief" || made.Prompts.SearchQParam == "" {
		t.Fatalf("%+v %v", made, err)
	}
	// A source that lacks a required setting changes nothing.
	var refused *apierr.Error
	if _, err := chats.UpdateSettings(ctx, "b", &api.ChatSettingsPatch{Source: decode.Set(api.ChatVLLM)}); !errors.As(err, &refused) || refused.Code != apierr.CodeBadRequest {
		t.Fatalf("%v", err)
	}
	url := decode.Set("http://model/")
	if _, err := chats.UpdateSettings(ctx, "b", &api.ChatSettingsPatch{Source: decode.Set(api.ChatVLLM), BaseURL: url}); err != nil {
		t.Fatal(err)
	}
	if _, err := chats.UpdateSettings(ctx, "a", &api.ChatSettingsPatch{}); err != nil {
		t.Fatal(err)
	}
	if got := chats.Workspaces(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v", got)
	}
	got := chats.Settings("b")
	if got.Source != api.ChatVLLM || *got.BaseURL != "http://model/" || *got.APIKey != "0123456789abcdef" || *got.Masked().APIKey != "01XXXX..." {
		t.Errorf("%+v", got)
	}
	// null restores the default of a new workspace.
	got, err = chats.UpdateSettings(ctx, "b", &api.ChatSettingsPatch{Source: decode.Null[string](), Key: decode.Null[string](), Prompts: decode.Null[api.ChatPromptsPatch]()})
	if err != nil || got.Source != api.ChatOpenAI || got.APIKey != nil || got.Prompts != api.DefaultChatSettings().Prompts || *got.BaseURL != "http://model/" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := chats.ResetSettings(ctx, "b"); err != nil || *got != *api.DefaultChatSettings() {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := chats.ResetSettings(ctx, "none"); got != nil || err != nil {
		t.Errorf("%+v %v", got, err)
	}
	for _, want := range []bool{true, false} {
		if found, err := chats.DeleteWorkspace(ctx, "b"); found != want || err != nil {
			t.Errorf("found %v, want %v: %v", found, want, err)
		}
	}
	if got := chats.Workspaces(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%v", got)
	}
}
