package httpfront

import (
	"net/http"

	"shoal/api"
)

var featureFields = api.NewObject(
	feature("metrics", func(p *api.FeaturesPatch) **bool { return &p.Metrics }),
	feature("logsRoute", func(p *api.FeaturesPatch) **bool { return &p.LogsRoute }),
	feature("editDocumentsByFunction", func(p *api.FeaturesPatch) **bool { return &p.EditDocumentsByFunction }),
	feature("containsFilter", func(p *api.FeaturesPatch) **bool { return &p.ContainsFilter }),
	feature("dynamicSearchRules", func(p *api.FeaturesPatch) **bool { return &p.DynamicSearchRules }),
	feature("network", func(p *api.FeaturesPatch) **bool { return &p.Network }),
	feature("getTaskDocumentsRoute", func(p *api.FeaturesPatch) **bool { return &p.GetTaskDocumentsRoute }),
	feature("taskQueueCompactionRoute", func(p *api.FeaturesPatch) **bool { return &p.TaskQueueCompactionRoute }),
	feature("compositeEmbedders", func(p *api.FeaturesPatch) **bool { return &p.CompositeEmbedders }),
	feature("chatCompletions", func(p *api.FeaturesPatch) **bool { return &p.ChatCompletions }),
	feature("multimodal", func(p *api.FeaturesPatch) **bool { return &p.Multimodal }),
	feature("foreignKeys", func(p *api.FeaturesPatch) **bool { return &p.ForeignKeys }),
	feature("disableDocumentsFetchQueue", func(p *api.FeaturesPatch) **bool { return &p.DisableDocumentsFetchQueue }),
	feature("legacySearch", func(p *api.FeaturesPatch) **bool { return &p.LegacySearch }),
	feature("renderRoute", func(p *api.FeaturesPatch) **bool { return &p.RenderRoute }),
)

func feature(name string, slot func(*api.FeaturesPatch) **bool) api.Row[api.FeaturesPatch] {
	return api.Optional(name, api.Code{}, api.Bool, slot)
}

func serveFeatures(x *exchange) error { return x.answer(http.StatusOK, x.features()) }

func serveUpdateFeatures(x *exchange) error {
	var patch api.FeaturesPatch
	if err := readBody(x, featureFields, &patch); err != nil {
		return err
	}
	features, err := x.server.ports.Features.UpdateFeatures(x.context(), &patch)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, features)
}

// gate says why a route of an experimental feature is closed; nil when it is
// open.
type gate func(api.Features) *api.Error

// gated is a route that exists only to answer its gate.
func gated(closed gate) handler {
	return func(x *exchange) error {
		if err := closed(x.features()); err != nil {
			return err
		}
		return api.NewError(api.CodeFeatureNotEnabled, "This experimental feature is not available on this server.")
	}
}

// gatedBody is gated for routes that parse a JSON body first.
func gatedBody(closed gate) handler {
	return func(x *exchange) error {
		if _, err := x.bodyValue(); err != nil {
			return err
		}
		return gated(closed)(x)
	}
}

func rulesGate(doing string) gate {
	return func(f api.Features) *api.Error {
		if f.DynamicSearchRules {
			return nil
		}
		return api.FeatureNotEnabled(doing, "dynamic search rules", 884)
	}
}
