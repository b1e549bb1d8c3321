package node

import (
	"cmp"
	"context"
	"errors"
	"os"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed"
	"shoal/httpfront"
	"shoal/shard/build"
)

// newEmbedders returns the client of the embedders' servers. As in the reference, keys and
// addresses that definitions omit come from the environment (spec write-api 13.5).
func newEmbedders(p *process, out *httpfront.Outbound) *embed.Pool {
	return embed.NewPool(embed.Config{
		Post: out.Ask, CachedQueries: p.cfg.EmbedderCacheSize,
		CallTime: p.cfg.EmbedderTimeout, LongestWait: p.cfg.EmbedderPause,
		OpenAIKey: cmp.Or(os.Getenv("MEILI_OPENAI_API_KEY"), os.Getenv("OPENAI_API_KEY")),
		OllamaURL: os.Getenv("MEILI_OLLAMA_URL"),
	})
}

// embedDocuments embeds documents for the builders of this node (build.EmbedFunc).
func (n *data) embedDocuments(ctx context.Context, e *settings.Embedder, inputs []jsonvalue.Value, seen *build.Embedding) ([][]float32, error) {
	vectors, err := n.embedders.Documents(ctx, e, inputs, seen)
	var refused *embed.Error
	if errors.As(err, &refused) && n.cfg.IgnoreEmbedderFailures {
		n.log.Warn("documents are indexed without vectors, because their embedder failed; send them again to have them embedded", "documents", len(inputs), "error", err)
		return make([][]float32, len(inputs)), nil
	}
	if errors.As(err, &refused) {
		fault := apierr.New(apierr.CodeVectorEmbeddingError, refused.Error())
		if refused.Input > 0 {
			return nil, &build.InputError{Input: refused.Input - 1, Fault: fault}
		}
		return nil, fault
	}
	return vectors, err
}
