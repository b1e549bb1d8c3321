package node

import (
	"context"

	"shoal/api"
	"shoal/coordinator"
)

type searchPort struct{ *coordinator.NetworkSearch }

func (searchPort) Similar(_ context.Context, _ string, r *api.SimilarRequest) (*api.SimilarResponse, error) {
	return nil, api.NewError(api.CodeInvalidSimilarEmbedder, "Cannot find embedder with name `"+r.Embedder+"`.")
}
