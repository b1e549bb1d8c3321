package filter

import "shoal/api/settings"

func GatesOf(f settings.Features) Gates {
	return Gates{ContainsFilter: f.ContainsFilter, ForeignKeys: f.ForeignKeys, Network: f.Network, Multimodal: f.Multimodal}
}
