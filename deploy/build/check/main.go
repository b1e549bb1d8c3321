// Command check looks at what is deployed beside the program: the Helm chart is
// linted, rendered with several sets of values and decoded strictly into the types
// of Kubernetes; alert rules are parsed; with -metrics every query of a board must have an
// answer from the running nodes, and every alert something to watch. With -firing it names
// the alerts that the running nodes make true, and does nothing else.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

func main() {
	deploy := flag.String("deploy", "..", "the folder to look at")
	nodes := flag.String("metrics", "", "URLs of running nodes' metrics, separated by commas")
	fires := flag.Bool("firing", false, "name the alerts whose expressions are true now")
	out := flag.String("manifests", "", "file to write the plain manifests to")
	flag.Parse()
	if *fires {
		if err := printFiring(*deploy, *nodes); err != nil {
			fmt.Fprintln(os.Stderr, "check:", err)
			os.Exit(1)
		}
		return
	}
	err := errors.Join(charts(filepath.Join(*deploy, "helm", "shoal"), *out), rules(*deploy, *nodes))
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func printFiring(deploy, nodes string) error {
	queries, err := alerts(deploy)
	if err != nil {
		return err
	}
	names, err := firing(strings.Split(nodes, ","), queries)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(names, "\n"))
	return nil
}

// values are sets that users really give.
var values = map[string]map[string]any{
	"defaults": {},
	"one node": {"replicas": 1, "initialMembers": 1},
	"all on": {
		"replicas": 5, "existingSecret": "mine", "memoryLimit": "1GiB", "extraArgs": []any{"--default-shards=3"},
		"monitoring": map[string]any{"serviceMonitor": true, "prometheusRule": true, "interval": "30s"},
		"backup":     map[string]any{"existingClaim": "backups"}, "nodeSelector": map[string]any{"disk": "ssd"},
		"tolerations": []any{map[string]any{"key": "search", "operator": "Exists"}}, "priorityClassName": "high",
		"service":  map[string]any{"type": "LoadBalancer", "port": 80, "annotations": map[string]any{"a": "b"}},
		"ingress":  map[string]any{"enabled": true, "className": "nginx", "host": "search.example.com", "tlsSecret": "tls"},
		"extraEnv": []any{map[string]any{"name": "SHOAL_LOG_LEVEL", "value": "DEBUG"}},
		"zones":    map[string]any{"source": "nodeLabel", "kubectlImage": "kubectl"},
	},
	"a bucket": {"backup": map[string]any{"s3": map[string]any{"url": "https://s3.example.com", "bucket": "b", "existingSecret": "keys"}}},
}

func charts(dir, out string) error {
	c, err := loader.Load(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range []string{"defaults", "one node", "all on", "a bucket"} {
		for _, m := range lint.All(dir, values[name], "shoal", true).Messages {
			if m.Severity >= support.WarningSev {
				errs = append(errs, fmt.Errorf("chart with %s: %s: %w", name, m.Path, m.Err))
			}
		}
		text, err := render(c, values[name])
		if err == nil {
			err = decode(text)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("chart with %s: %w", name, err))
			continue
		}
		fmt.Printf("chart with %s: %d objects are right\n", name, strings.Count(text, "\nkind: "))
		if name == "defaults" && out != "" {
			errs = append(errs, os.WriteFile(out, []byte(plain(text)), 0o644))
		}
	}
	return errors.Join(errs...)
}

func render(c *chart.Chart, given map[string]any) (string, error) {
	v, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: "shoal", Namespace: "search", Revision: 1, IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	files, err := engine.Render(c, v)
	if err != nil {
		return "", err
	}
	var names []string
	for name := range files {
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		for doc := range strings.SplitSeq(files[name], "\n---") {
			if strings.TrimSpace(strings.TrimPrefix(doc, "---")) != "" {
				b.WriteString("---\n" + strings.TrimSpace(doc) + "\n")
			}
		}
	}
	return b.String(), nil
}

// decode reads every object into its type; a member that the type does not have is
// an error. Objects of the Prometheus operator are read as YAML only.
func decode(text string) error {
	d := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for doc := range strings.SplitSeq(text, "---\n") {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		var head struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal([]byte(doc), &head); err != nil {
			return fmt.Errorf("%w in\n%s", err, doc)
		}
		if strings.HasPrefix(head.APIVersion, "monitoring.coreos.com/") {
			continue
		}
		if _, _, err := d.Decode([]byte(doc), nil, nil); err != nil && !runtime.IsNotRegisteredError(err) {
			return fmt.Errorf("%s: %w", head.Kind, err)
		} else if err != nil {
			return fmt.Errorf("%s %s is no kind of Kubernetes", head.APIVersion, head.Kind)
		}
	}
	return nil
}

// plain are the manifests for those who use no Helm: without its marks, and with a
// secret to fill in.
func plain(text string) string {
	var b strings.Builder
	b.WriteString("# Made from deploy/helm/shoal by `make chart`. Before the first start:\n" +
		"#   kubectl create namespace search\n" +
		"#   kubectl -n search create secret generic shoal --from-literal=cluster-secret=\"$(shoal secret)\" --from-literal=master-key=\"$KEY\"\n" +
		"#   kubectl -n search apply -f shoal.yaml\n")
	for doc := range strings.SplitSeq(text, "---\n") {
		if strings.TrimSpace(doc) == "" || strings.Contains(doc, "\nkind: Secret\n") {
			continue
		}
		b.WriteString("---\n")
		for line := range strings.Lines(doc) {
			if !strings.Contains(line, "helm.sh/chart") && !strings.Contains(line, "managed-by") {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

// rules checks the alerts, and against running nodes that rules and boards name
// metrics that there are.
func rules(deploy, nodes string) error {
	queries, err := alerts(deploy)
	if err != nil {
		return err
	}
	if err := panels(filepath.Join(deploy, "grafana"), queries); err != nil {
		return err
	}
	var errs []error
	for name, query := range queries {
		if _, err := parser.NewParser(parser.Options{}).ParseExpr(query); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	if nodes != "" && len(errs) == 0 {
		errs = append(errs, answered(strings.Split(nodes, ","), queries))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Printf("%d queries of alerts and boards are right\n", len(queries))
	return nil
}

// alerts reads the expressions of the alert rules, by "alert NAME".
func alerts(deploy string) (map[string]string, error) {
	path := filepath.Join(deploy, "prometheus", "rules.yml")
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	copied, err := os.ReadFile(filepath.Join(deploy, "helm", "shoal", "rules.yml"))
	if err != nil {
		return nil, err
	}
	if string(b) != string(copied) {
		return nil, errors.New("helm/shoal/rules.yml is not prometheus/rules.yml: copy it")
	}
	groups, faults := rulefmt.Parse(b, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	queries := map[string]string{}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			queries["alert "+r.Alert] = r.Expr
		}
	}
	return queries, nil
}

func panels(dir string, queries map[string]string) error {
	boards, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(boards) == 0 {
		return errors.Join(err, errors.New("there are no boards"))
	}
	for _, path := range boards {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(b, &board); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, p := range board.Panels {
			for _, t := range p.Targets {
				queries[filepath.Base(path)+", "+p.Title] = strings.ReplaceAll(t.Expr, "$__rate_interval", "1m")
			}
		}
	}
	return nil
}
