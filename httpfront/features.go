package httpfront

import (
	"net/http"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
)

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
)

func feature(name string, slot func(*settings.FeaturesPatch) **bool) decode.Row[settings.FeaturesPatch] {
	return decode.Optional(name, apierr.Code{}, decode.Bool, slot)
}

func serveFeatures(x *exchange) error { return x.answer(http.StatusOK, x.features()) }

func serveUpdateFeatures(x *exchange) error {
	var patch settings.FeaturesPatch
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
type gate func(settings.Features) *apierr.Error

// gated is a route that exists only to answer its gate.
func gated(closed gate) handler {
	return func(x *exchange) error {
		if err := closed(x.features()); err != nil {
			return err
		}
		return apierr.New(apierr.CodeFeatureNotEnabled, "This experimental feature is not available on this server.")
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
	return func(f settings.Features) *apierr.Error {
		if f.DynamicSearchRules {
			return nil
		}
		return apierr.FeatureNotEnabled(doing, "dynamic search rules", 884)
	}
}
