package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/pelletier/go-toml/v2"

	"shoal/node/machine"
)

// contexts are named clusters, kept in a file that only its owner may read.
type contexts struct {
	Current  string             `toml:"current"`
	Clusters map[string]cluster `toml:"clusters"`
}

// cluster is how to reach one of them.
type cluster struct {
	URL    string `toml:"url"`
	APIKey string `toml:"api_key,omitempty"`
	CACert string `toml:"cacert,omitempty"`
	Cert   string `toml:"cert,omitempty"`
	Key    string `toml:"key,omitempty"`
}

func contextsFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("folder for the named clusters: %w", err)
	}
	return filepath.Join(dir, "shoal", "contexts.toml"), nil
}

// readContexts returns no contexts if there is no file, or no folder for one.
func readContexts() (*contexts, error) {
	named := &contexts{Clusters: map[string]cluster{}}
	path, err := contextsFile()
	if err != nil {
		return named, nil //nolint:nilerr // a machine without a home has no named clusters
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return named, nil
	}
	if err != nil {
		return nil, fmt.Errorf("named clusters: %w", err)
	}
	if err := toml.Unmarshal(b, named); err != nil {
		return nil, fmt.Errorf("named clusters in %s: %w", path, err)
	}
	return named, nil
}

func (n *contexts) write() error {
	path, err := contextsFile()
	if err != nil {
		return err
	}
	b, err := toml.Marshal(n)
	if err != nil {
		return fmt.Errorf("named clusters: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("named clusters: %w", err)
	}
	return machine.Disk().WriteFile(path, b)
}

// choose finds a cluster by name. "" means the current one, which may be nil.
func (n *contexts) choose(name string) (*cluster, error) {
	if name == "" {
		name = n.Current
	}
	if name == "" {
		return nil, nil
	}
	c, ok := n.Clusters[name]
	if !ok {
		return nil, Usage{fmt.Errorf("there is no context %q: 'shoal context set %s --url URL' makes one, 'shoal context list' shows all", name, name)}
	}
	return &c, nil
}

// Contexts are the commands under "shoal context".
type Contexts struct {
	Set    setContext    `cmd:"" help:"Name a cluster and use it from now on."`
	Use    useContext    `cmd:"" help:"Use a named cluster."`
	List   listContexts  `cmd:"" help:"List the named clusters."`
	Remove removeContext `cmd:"" help:"Forget a named cluster."`
}

type setContext struct {
	Name   string `arg:"" help:"A name of your choice."`
	URL    string `required:"" placeholder:"URL" help:"Nodes of the cluster, separated by commas."`
	APIKey string `name:"api-key" placeholder:"KEY" help:"Key to send; kept in a file that only you can read."`
	CACert string `name:"cacert" placeholder:"FILE" help:"PEM authorities that vouch for the nodes."`
	Cert   string `name:"cert" placeholder:"FILE" help:"PEM certificate to show to nodes that demand one."`
	Key    string `name:"key" placeholder:"FILE" help:"PEM private key of --cert."`
}

// Run stores the cluster under its name.
func (s *setContext) Run(_ context.Context, out io.Writer) error {
	named, err := readContexts()
	if err != nil {
		return err
	}
	named.Clusters[s.Name], named.Current = cluster{URL: s.URL, APIKey: s.APIKey, CACert: absolute(s.CACert), Cert: absolute(s.Cert), Key: absolute(s.Key)}, s.Name
	if err := named.write(); err != nil {
		return err
	}
	fmt.Fprintf(out, "Commands go to %s (%s) from now on.\n", s.Name, s.URL)
	return nil
}

// absolute makes a path valid from every folder.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil && path != "" {
		return whole
	}
	return path
}

type useContext struct {
	Name string `arg:"" names:"contexts" help:"A named cluster."`
}

// Run makes the named cluster the current one.
func (u *useContext) Run(_ context.Context, out io.Writer) error {
	named, err := readContexts()
	if err != nil {
		return err
	}
	c, err := named.choose(u.Name)
	if err != nil {
		return err
	}
	named.Current = u.Name
	if err := named.write(); err != nil {
		return err
	}
	fmt.Fprintf(out, "Commands go to %s (%s) from now on.\n", u.Name, c.URL)
	return nil
}

type listContexts struct{}

// Run lists names and addresses, never keys.
func (*listContexts) Run(_ context.Context, out io.Writer) error {
	named, err := readContexts()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "\tNAME\tURL\tKEY")
	for _, name := range slices.Sorted(maps.Keys(named.Clusters)) {
		mark, key := "", "no"
		if name == named.Current {
			mark = "*"
		}
		if named.Clusters[name].APIKey != "" {
			key = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", mark, name, named.Clusters[name].URL, key)
	}
	return w.Flush()
}

type removeContext struct {
	Name string `arg:"" names:"contexts" help:"A named cluster."`
}

// Run forgets the cluster. The cluster itself is not touched.
func (r *removeContext) Run(_ context.Context, out io.Writer) error {
	named, err := readContexts()
	if err != nil {
		return err
	}
	if _, err := named.choose(r.Name); err != nil {
		return err
	}
	delete(named.Clusters, r.Name)
	if named.Current == r.Name {
		named.Current = ""
	}
	if err := named.write(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is forgotten.\n", r.Name)
	return nil
}
