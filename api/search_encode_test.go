package api

import (
	"strings"
	"testing"
)

// TestTheVectorOfAQueryIsShownAsItWasSent: a query with the vector [0.8,-0.2] was answered
// with [0.800000011920929,-0.20000000298023224], where the reference answers [0.8,-0.2].
func TestTheVectorOfAQueryIsShownAsItWasSent(t *testing.T) {
	vector := []float32{0.8, -0.2, 1, 1e13, 1e-6, 1.5e-7}
	const shown = `[0.8,-0.2,1.0,1e+13,0.000001,1.5e-7]`
	one := SearchResponse{QueryVector: vector}
	if got := string(one.AppendEnd(nil, &Envelope{})); !strings.Contains(got, `"queryVector":`+shown) {
		t.Errorf("a search shows %s", got)
	}
	several := FederatedResponse{HasQueryVectors: true, QueryVectors: []QueryVector{{Position: 2, Vector: vector}}}
	if got := string(several.AppendEnd(nil, "", false)); !strings.Contains(got, `"queryVectors":{"2":`+shown) {
		t.Errorf("a federated search shows %s", got)
	}
}
