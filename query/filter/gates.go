package filter

import "shoal/api"

func GatesOf(f api.Features) Gates {
	return Gates{ContainsFilter: f.ContainsFilter, ForeignKeys: f.ForeignKeys, Network: f.Network, Multimodal: f.Multimodal}
}
