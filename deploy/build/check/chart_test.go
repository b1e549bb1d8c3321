package main

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
)

func rendered(t *testing.T, given map[string]any) (string, error) {
	t.Helper()
	c, err := loader.Load("../../helm/shoal")
	if err != nil {
		t.Fatal(err)
	}
	return render(c, given)
}

// Any misspelt value was taken, and changed nothing.
func TestChartRefusesMisspeltValues(t *testing.T) {
	for name, given := range map[string]map[string]any{
		"replica":                 {"replica": 5},
		"image.repo":              {"image": map[string]any{"repo": "x"}},
		"storage.sizes":           {"storage": map[string]any{"sizes": "1Gi"}},
		"backup.claim":            {"backup": map[string]any{"claim": "x"}},
		"backup.s3.secret":        {"backup": map[string]any{"s3": map[string]any{"secret": "x"}}},
		"service.ports":           {"service": map[string]any{"ports": 80}},
		"ingress.hosts":           {"ingress": map[string]any{"hosts": "x"}},
		"resources.limit":         {"resources": map[string]any{"limit": map[string]any{}}},
		"monitoring.rules":        {"monitoring": map[string]any{"rules": true}},
		"zones.from":              {"zones": map[string]any{"from": "podLabel"}},
		"extraEnv.0.key":          {"extraEnv": []any{map[string]any{"name": "A", "key": "b"}}},
		"a pull policy":           {"image": map[string]any{"pullPolicy": "Sometimes"}},
		"a source":                {"zones": map[string]any{"source": "label"}},
		"a label without kubectl": {"zones": map[string]any{"source": "nodeLabel"}},
		"a bucket without a URL":  {"backup": map[string]any{"s3": map[string]any{"bucket": "x"}}},
	} {
		if _, err := rendered(t, given); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// The secret of the bucket stood in the arguments, which everybody sees who lists pods.
func TestChartGivesKeysOfABucketFromASecret(t *testing.T) {
	text, err := rendered(t, values["a bucket"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{name: SHOAL_S3_BUCKET_NAME, value: "b"}`,
		`{name: SHOAL_S3_ACCESS_KEY, valueFrom: {secretKeyRef: {name: keys, key: access-key}}}`,
		`{name: SHOAL_S3_SECRET_KEY, valueFrom: {secretKeyRef: {name: keys, key: secret-key}}}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the manifests lack %s", want)
		}
	}
}

// The chart promised that copies never share a zone, and told no node its zone.
func TestChartTellsNodesTheirZone(t *testing.T) {
	const (
		byPod  = `{name: SHOAL_ZONE, valueFrom: {fieldRef: {fieldPath: "metadata.labels['topology.kubernetes.io/zone']"}}}`
		byNode = `-o go-template='{{with index .metadata.labels "topology.kubernetes.io/zone"}}zone = "{{.}}"{{"\n"}}{{end}}' > /run/zone/config.toml`
	)
	for source, want := range map[string][2]bool{"podLabel": {true, false}, "nodeLabel": {false, true}, "none": {false, false}} {
		text, err := rendered(t, map[string]any{"zones": map[string]any{"source": source, "kubectlImage": "kubectl"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{strings.Contains(text, byPod), strings.Contains(text, byNode)}; got != want {
			t.Errorf("%s: by the pod %v, by the machine %v", source, got[0], got[1])
		}
	}
}
