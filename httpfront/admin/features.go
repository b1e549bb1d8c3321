package admin

import (
	"context"
	"net/http"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// FeatureRoutes are the rows of experimental features.
func (h *Handlers) FeatureRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/experimental-features", Actions: []string{"experimental.get"}, Serve: h.serveFeatures},
		{Method: "PATCH", Pattern: "/experimental-features", Actions: []string{"experimental.update"}, Serve: h.serveUpdateFeatures, Leased: true, Body: featureFields},
	}
}

var featureFields = decode.NewObject(
	feature("metrics", func(p *settings.FeaturesPatch) **bool { return &p.Metrics }),
	feature("logsRoute", func(p *settings.FeaturesPatch) **bool { return &p.LogsRoute }),
	feature("editDocumentsByFunction", func(p *settings.FeaturesPatch) **bool { return &p.EditDocumentsByFunction }),
	feature("containsFilter", func(p *settings.FeaturesPatch) **bool { return &p.ContainsFilter }),
	feature("dynamicSearchRules", func(p *settings.FeaturesPatch) **bool { return &p.DynamicSearchRules }),
	feature("network", func(p *settings.FeaturesPatch) **bool { return &p.Network }),
	feature("getTaskDocumentsRoute", func(p *settings.FeaturesPatch) **bool { return &p.GetTaskDocumentsRoute }),
	feature("taskQueueCompactionRoute", func(p *settings.FeaturesPatch) **bool { return &p.TaskQueueCompactionRoute }),
	feature("compositeEmbedders", func(p *settings.FeaturesPatch) **bool { return &p.CompositeEmbedders }),
	feature("chatCompletions", func(p *settings.FeaturesPatch) **bool { return &p.ChatCompletions }),
	feature("multimodal", func(p *settings.FeaturesPatch) **bool { return &p.Multimodal }),
	feature("foreignKeys", func(p *settings.FeaturesPatch) **bool { return &p.ForeignKeys }),
	feature("disableDocumentsFetchQueue", func(p *settings.FeaturesPatch) **bool { return &p.DisableDocumentsFetchQueue }),
	feature("legacySearch", func(p *settings.FeaturesPatch) **bool { return &p.LegacySearch }),
	feature("renderRoute", func(p *settings.FeaturesPatch) **bool { return &p.RenderRoute }),
	feature("tasksStreamingRoute", func(p *settings.FeaturesPatch) **bool { return &p.TasksStreamingRoute }).Unlisted(),
	feature("mcpRoute", func(p *settings.FeaturesPatch) **bool { return &p.MCPRoute }).Unlisted(),
)

func feature(name string, slot func(*settings.FeaturesPatch) **bool) decode.Row[settings.FeaturesPatch] {
	return decode.Optional(name, apierr.Code{}, decode.Bool, slot)
}

func (h *Handlers) serveFeatures(x *routing.Exchange) error { return h.showFeatures(x, x.Features()) }

func (h *Handlers) showFeatures(x *routing.Exchange, f settings.Features) error {
	if h.Version.Newer() {
		return x.Answer(http.StatusOK, f.Newer())
	}
	return x.Answer(http.StatusOK, f)
}

func (h *Handlers) serveUpdateFeatures(x *routing.Exchange) error {
	var patch settings.FeaturesPatch
	if err := routing.ReadBody(x, featureFields, &patch); err != nil {
		return err
	}
	features, err := h.Features.UpdateFeatures(x.Context(), &patch)
	if err != nil {
		return err
	}
	return h.showFeatures(x, features)
}

// Features are the experimental features in force.
type Features interface {
	// Features is called on every request: it must not block.
	Features() settings.Features
	UpdateFeatures(ctx context.Context, p *settings.FeaturesPatch) (settings.Features, error)
}
