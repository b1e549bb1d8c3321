package admin

import (
	"context"
	"maps"
	"slices"

	"shoal/api"
	"shoal/coordinator"
)

// Chats holds the workspaces of /chats (spec search-api 16). Safe for concurrent
// use.
type Chats struct{ stored sharedValue[chatSpaces] }

// chatSpaces is the stored form: settings by workspace.
type chatSpaces map[string]*api.ChatSettings

// NewChats returns the workspaces of the cluster.
func NewChats(log coordinator.Log) *Chats {
	return &Chats{sharedValue[chatSpaces]{log: log, name: "chats", fresh: func() *chatSpaces { return &chatSpaces{} }}}
}

// Workspaces lists all workspaces, sorted.
func (c *Chats) Workspaces() []string { return slices.Sorted(maps.Keys(*c.stored.get())) }

// Settings returns the settings of a workspace, nil when there is none. They are shared: do not
// modify.
func (c *Chats) Settings(workspace string) *api.ChatSettings { return (*c.stored.get())[workspace] }

// UpdateSettings applies a patch to the settings of a workspace. It creates a missing
// workspace.
func (c *Chats) UpdateSettings(ctx context.Context, workspace string, p *api.ChatSettingsPatch) (*api.ChatSettings, error) {
	return c.change(ctx, workspace, func(old *api.ChatSettings) (*api.ChatSettings, error) {
		if old == nil {
			old = api.DefaultChatSettings()
		}
		next, fault := old.Apply(p)
		if fault != nil {
			return nil, fault
		}
		return next, nil
	})
}

// ResetSettings gives a workspace default settings; nil when there is no such workspace.
func (c *Chats) ResetSettings(ctx context.Context, workspace string) (*api.ChatSettings, error) {
	return c.change(ctx, workspace, func(old *api.ChatSettings) (*api.ChatSettings, error) {
		if old == nil {
			return nil, nil
		}
		return api.DefaultChatSettings(), nil
	})
}

// DeleteWorkspace deletes a workspace and tells whether it existed.
func (c *Chats) DeleteWorkspace(ctx context.Context, workspace string) (found bool, err error) {
	_, err = c.change(ctx, workspace, func(old *api.ChatSettings) (*api.ChatSettings, error) {
		found = old != nil
		return nil, nil
	})
	return found, err
}

// change replaces the settings of one workspace with the result of edit; nil removes the
// workspace.
func (c *Chats) change(ctx context.Context, workspace string, edit func(old *api.ChatSettings) (*api.ChatSettings, error)) (*api.ChatSettings, error) {
	var settings *api.ChatSettings
	_, err := c.stored.change(ctx, func(old *chatSpaces) (*chatSpaces, error) {
		var err error
		if settings, err = edit((*old)[workspace]); err != nil {
			return nil, err
		}
		next := maps.Clone(*old)
		if next == nil {
			next = chatSpaces{}
		}
		if settings == nil {
			delete(next, workspace)
		} else {
			next[workspace] = settings
		}
		return &next, nil
	})
	if err != nil {
		return nil, err
	}
	return settings, nil
}
