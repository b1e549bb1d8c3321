package filter

import (
	"errors"

	"shoal/api/apierr"
	"shoal/api/settings"
)

// Refusal is the fault of a geo or vector condition, as far as it depends on the settings only:
// it has the position of the offending word. A faultless condition, or another one, has none.
func (n *Node) Refusal(s *settings.Settings) *FilterError {
	var fault *FilterError
	switch n.Op {
	case FilterVectors:
		return n.CheckEmbedder(EmbedderNames(s), func(name string) []string { return EmbedderFragments(s, name) })
	case FilterGeoRadius:
		_, fault = n.Circle()
	case FilterGeoBox:
		_, fault = n.Box()
	case FilterGeoPolygon:
		if fault = n.GeoNotFilterable(s); fault == nil {
			_, fault = n.Polygon()
		}
		return fault
	default:
		return nil
	}
	if fault == nil {
		fault = n.GeoNotFilterable(s)
	}
	return fault
}

// Reworded returns an error that shards found in the canonical text of this filter: it now quotes
// the text that the client wrote. Other errors stay as they are.
func (f *Filter) Reworded(err error, s *settings.Settings) error {
	var client *apierr.Error
	if !errors.As(err, &client) {
		return err
	}
	n := f.Condition(client.Place)
	if n == nil {
		return err
	}
	fault := n.Refusal(s)
	if fault == nil {
		return err
	}
	return fault.API(client.Code).At(client.Place)
}

// OnShard tells a condition on `_shard`, a name that the reference keeps for its own sharding.
func (n *Node) OnShard() bool { return n.Field.Value == "_shard" }

// CheckShard refuses a condition on `_shard`: shards of ours have no public names (spec
// search-api 7.7). The error has one code on all routes.
func (n *Node) CheckShard() *apierr.Error {
	switch {
	case n.Op == FilterIn && len(n.Values) == 0:
		return nil
	case n.Op == FilterEqual || n.Op == FilterNotEqual || n.Op == FilterIn:
		return apierr.New(apierr.CodeInvalidSearchFilter, "Shard `"+n.Values[0].Value+"` does not exist")
	}
	return apierr.New(apierr.CodeInvalidSearchFilter, "Filter operator `"+n.Op.operator()+apierr.FilterTextShardOperator)
}
