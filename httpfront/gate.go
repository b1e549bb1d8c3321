package httpfront

import (
	"shoal/api/apierr"
	"shoal/api/settings"
)

// gate says why a route of an experimental feature is closed; nil when it is
// open.
type gate func(settings.Features) *apierr.Error

func rulesGate(doing string) gate {
	return func(f settings.Features) *apierr.Error {
		if f.DynamicSearchRules {
			return nil
		}
		return apierr.FeatureNotEnabled(doing, "dynamic search rules", 884)
	}
}
