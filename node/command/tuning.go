package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"shoal/coordinator/pinning"
	"shoal/node/config"
)

// tuning are limits that the reference reads only from the environment. Here they are also
// options.
type tuning struct {
	EmbedderTimeout int      `name:"experimental-rest-embedder-timeout-seconds" group:"Limits" default:"30" placeholder:"SECONDS" help:"How long one call of an embedder may take."`
	EmbedderPause   int      `name:"experimental-rest-embedder-max-retry-duration-seconds" group:"Limits" default:"60" placeholder:"SECONDS" help:"Longest pause before a call of an embedder is repeated; a server that asks for a longer one is not asked again."`
	FailureModes    []string `name:"experimental-config-embedder-failure-modes" group:"Limits" placeholder:"MODE,..." help:"ignore_embedder_failures: index documents without vectors when their embedder fails. ignore_document_template_failures changes nothing."`
	RemoteTimeout   int      `name:"experimental-remote-search-timeout-seconds" group:"Limits" default:"25" placeholder:"SECONDS" help:"How long a search on another instance may take."`
	RuleWords       int      `name:"experimental-dsr-fuel-max-counted-words" group:"Limits" default:"10" placeholder:"N" help:"Words of a query that dynamic search rules look at; the same on all nodes."`
	Rules           int      `name:"experimental-dsr-fuel-max-active-rules" group:"Limits" default:"1000" placeholder:"N" help:"Dynamic search rules that may count for one search; the same on all nodes."`
	RulePins        int      `name:"experimental-dsr-fuel-max-pin-actions" group:"Limits" default:"100" placeholder:"N" help:"Documents that they may pin in one search, and scales that count; the same on all nodes."`
}

// personalization names the service that reranks searches.
type personalization struct {
	PersonalizationKey   string `name:"experimental-personalization-api-key" group:"Experimental" placeholder:"KEY" help:"Key of the service that reranks searches with personalize: Cohere, or what --personalization-url names. Without one such searches are refused. Better in SHOAL_EXPERIMENTAL_PERSONALIZATION_API_KEY, where other users do not see it."`
	PersonalizationURL   string `name:"personalization-url" group:"Experimental" default:"https://api.cohere.ai/v1/rerank" placeholder:"URL" help:"Address of that service, any server that speaks Cohere's rerank API; it is told the hits and the user context."`
	PersonalizationModel string `name:"personalization-model" group:"Experimental" default:"rerank-english-v3.0" placeholder:"NAME" help:"Model that the service is asked for."`
}

// Modes for embedders that fail.
const (
	ignoreEmbedder = "ignore_embedder_failures"
	ignoreTemplate = "ignore_document_template_failures"
)

// longest bounds options in seconds: a day.
const longest = 86400

// tune copies the limits into c.
func (o *tuning) tune(c *config.Config) error {
	for _, n := range []struct {
		name        string
		value, most int
	}{
		{"experimental-rest-embedder-timeout-seconds", o.EmbedderTimeout, longest},
		{"experimental-rest-embedder-max-retry-duration-seconds", o.EmbedderPause, longest},
		{"experimental-remote-search-timeout-seconds", o.RemoteTimeout, longest},
		{"experimental-dsr-fuel-max-counted-words", o.RuleWords, 1000},
		{"experimental-dsr-fuel-max-active-rules", o.Rules, 100_000},
		{"experimental-dsr-fuel-max-pin-actions", o.RulePins, 1000},
	} {
		if n.value < 1 || n.value > n.most {
			return fmt.Errorf("--%s is %d: use 1 to %d", n.name, n.value, n.most)
		}
	}
	for _, mode := range o.FailureModes {
		switch strings.TrimSpace(mode) {
		case "":
		case ignoreEmbedder:
			c.IgnoreEmbedderFailures = true
		case ignoreTemplate:
			c.NoEffect = append(slices.Clip(c.NoEffect), "--experimental-config-embedder-failure-modes="+ignoreTemplate)
		default:
			return fmt.Errorf("--experimental-config-embedder-failure-modes has %q: use %s or %s", mode, ignoreEmbedder, ignoreTemplate)
		}
	}
	c.EmbedderTimeout = time.Duration(o.EmbedderTimeout) * time.Second
	c.EmbedderPause = time.Duration(o.EmbedderPause) * time.Second
	c.RemoteTimeout = time.Duration(o.RemoteTimeout) * time.Second
	c.RuleFuel = pinning.Fuel{CountedWords: o.RuleWords, ActiveRules: o.Rules, PinActions: o.RulePins}
	return nil
}
