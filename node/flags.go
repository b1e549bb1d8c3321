package node

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"
)

// options are the flags of a serving node. Names are upstream's where it has the
// option. A value comes from the flag, else SHOAL_*, else MEILI_*, else the TOML
// file (keys in snake_case), else the default.
type options struct {
	DBPath   string `name:"db-path" default:"./data.ms" placeholder:"DIR" help:"Folder for all data of this node."`
	HTTPAddr string `name:"http-addr" default:"localhost:7700" placeholder:"HOST:PORT" help:"Address for clients."`

	PeerAddr        string   `group:"Cluster" placeholder:"HOST:PORT" help:"Address for other nodes (TCP: Raft, RPC and bulk). Default: localhost:7701, or a free port if that is taken."`
	GossipAddr      string   `group:"Cluster" placeholder:"HOST:PORT" help:"Address for gossip (TCP and UDP). Default: localhost:7946, or a free port if that is taken."`
	AdvertiseHTTP   string   `group:"Cluster" placeholder:"HOST:PORT" help:"Address of --http-addr as others see it."`
	AdvertisePeer   string   `group:"Cluster" placeholder:"HOST:PORT" help:"Address of --peer-addr as others see it."`
	AdvertiseGossip string   `group:"Cluster" placeholder:"HOST:PORT" help:"Address of --gossip-addr as others see it."`
	Name            string   `group:"Cluster" placeholder:"NAME" help:"Label of this node (default: host name)."`
	Join            []string `group:"Cluster" placeholder:"HOST:PORT,..." help:"Gossip addresses of members of a running cluster to join."`
	InitMembers     []string `group:"Cluster" placeholder:"NAME=HOST:PORT,..." help:"First members of a new cluster by --name and --peer-addr, the same list on each of them."`
	ClusterSecret   string   `group:"Cluster" placeholder:"TEXT" help:"Secret of the cluster (16 bytes or more), the same on all nodes: encrypts gossip and links."`
	InsecureCluster bool     `group:"Cluster" help:"Accept nodes of other machines without a secret."`
	NoFront         bool     `group:"Cluster" help:"Do not serve clients."`
	NoData          bool     `group:"Cluster" help:"Hold no shards."`
	NoVoter         bool     `group:"Cluster" help:"Never vote in the Raft group."`
	MaxStaleness    string   `group:"Cluster" default:"10m" placeholder:"DURATION" help:"How long searches go on without contact to the leader; 0 refuses them at once."`
	DefaultShards   int      `group:"Cluster" default:"0" placeholder:"N" help:"Shards of a new index; 0 plans them at the first import."`
	DefaultReplicas int      `group:"Cluster" default:"0" placeholder:"N" help:"Copies of each shard; 0 chooses by the number of voters."`
	MemoryLimit     Size     `default:"0" placeholder:"SIZE" help:"Memory budget of the process; 0 takes 60 % of the machine's."`

	MasterKey    string `placeholder:"KEY" help:"Key that protects the API; needed in production (16 bytes or more)."`
	Env          string `default:"development" placeholder:"ENV" help:"development or production."`
	PayloadLimit Size   `name:"http-payload-size-limit" default:"100MB" placeholder:"SIZE" help:"Largest request body."`
	LogLevel     string `default:"INFO" placeholder:"LEVEL" help:"OFF, ERROR, WARN, INFO, DEBUG or TRACE."`
	NoAnalytics  bool   `help:"Accepted for compatibility; nothing is ever collected."`
	UpgradeDB    bool   `name:"upgrade-db" help:"Accepted for compatibility."`

	SSLCertPath    string `name:"ssl-cert-path" group:"HTTPS" placeholder:"FILE" help:"PEM certificate chain."`
	SSLKeyPath     string `name:"ssl-key-path" group:"HTTPS" placeholder:"FILE" help:"PEM private key."`
	SSLAuthPath    string `name:"ssl-auth-path" group:"HTTPS" placeholder:"FILE" help:"PEM authorities of client certificates."`
	SSLRequireAuth bool   `name:"ssl-require-auth" group:"HTTPS" help:"Demand a client certificate."`

	DumpDir                 string `group:"Backup" default:"dumps/" placeholder:"DIR" help:"Where dumps are written."`
	ImportDump              string `group:"Backup" placeholder:"FILE" help:"Dump to load into an empty data folder; for a new cluster the same on all first members."`
	IgnoreMissingDump       bool   `group:"Backup" help:"Start empty when the dump is missing."`
	IgnoreDumpIfDBExists    bool   `name:"ignore-dump-if-db-exists" group:"Backup" help:"Skip the dump when data exists."`
	SnapshotDir             string `group:"Backup" default:"snapshots/" placeholder:"DIR" help:"Where snapshots are written."`
	ImportSnapshot          string `group:"Backup" placeholder:"FILE" help:"Snapshot to load into an empty data folder; for a new cluster the same on all first members."`
	IgnoreMissingSnapshot   bool   `group:"Backup" help:"Start empty when the snapshot is missing."`
	IgnoreSnapshotIfDBExist bool   `name:"ignore-snapshot-if-db-exists" group:"Backup" help:"Skip the snapshot when data exists."`
	ScheduleSnapshot        string `group:"Backup" placeholder:"SECONDS" help:"Take a snapshot every so many seconds."`

	TaskWebhookURL    string `name:"task-webhook-url" placeholder:"URL" help:"Called at the end of every batch."`
	TaskWebhookHeader string `name:"task-webhook-authorization-header" placeholder:"TEXT" help:"Authorization header of that call."`

	MaxIndexingMemory  Size   `group:"Limits" default:"0" placeholder:"SIZE" help:"Accepted for compatibility; see --memory-limit."`
	MaxIndexingThreads string `group:"Limits" placeholder:"N" help:"Accepted for compatibility."`
	ReduceMemory       bool   `group:"Limits" name:"experimental-reduce-indexing-memory-usage" help:"Accepted for compatibility; see --memory-limit."`
	OldSettings        bool   `group:"Limits" name:"experimental-no-edition-2024-for-settings" help:"Accepted for compatibility."`
	SearchQueueSize    int    `name:"experimental-search-queue-size" group:"Limits" default:"1000" placeholder:"N" help:"Searches that may wait."`
	DropSearchAfter    int    `name:"experimental-drop-search-after" group:"Limits" default:"60" placeholder:"SECONDS" help:"How long one may wait."`
	SearchesPerCore    int    `name:"experimental-nb-searches-per-core" group:"Limits" default:"4" placeholder:"N" help:"Searches at once per core."`
	MaxBatchedTasks    uint64 `name:"experimental-max-number-of-batched-tasks" group:"Limits" default:"18446744073709551615" placeholder:"N" help:"Most tasks in one batch."`
	MaxBatchedBytes    Size   `name:"experimental-limit-batched-tasks-total-size" group:"Limits" default:"0" placeholder:"SIZE" help:"Most payload bytes in one batch (0: half the memory budget, at most 10 GiB)."`
	EmbedderCacheSize  int    `name:"experimental-embedding-cache-entries" group:"Limits" default:"0" placeholder:"N" help:"Query embeddings kept."`

	EnableMetrics     bool     `name:"experimental-enable-metrics" group:"Experimental" help:"Serve /metrics."`
	EnableLogsRoute   bool     `name:"experimental-enable-logs-route" group:"Experimental" help:"Serve /logs."`
	ContainsFilter    bool     `name:"experimental-contains-filter" group:"Experimental" help:"Allow CONTAINS in filters."`
	LegacySearch      bool     `name:"experimental-legacy-search-default" env:"SHOAL_EXPERIMENTAL_LEGACY_SEARCH,MEILI_EXPERIMENTAL_LEGACY_SEARCH" group:"Experimental" help:"Default of the legacySearch feature."`
	LogsMode          string   `name:"experimental-logs-mode" group:"Experimental" default:"HUMAN" placeholder:"MODE" help:"HUMAN or JSON."`
	AllowedIPNetworks []string `name:"experimental-allowed-ip-networks" group:"Experimental" placeholder:"CIDR,..." help:"Private networks that outgoing calls may reach."`

	WatchParent bool `name:"watch-parent" hidden:""`
	HTTPFile    int  `name:"http-fd" hidden:""`
	ExpectNodes int  `name:"expect-nodes" hidden:""`
}

// cli is the whole command line.
type cli struct {
	ConfigFilePath string     `name:"config-file-path" placeholder:"FILE" help:"TOML file with options (default: ./config.toml if present)."`
	Version        bool       `help:"Print the version."`
	Serve          serveCmd   `cmd:"" default:"withargs" help:"Serve (the default command)."`
	Dev            devCmd     `cmd:"" help:"Run a local cluster of N nodes under one command, for trial and tests."`
	Status         statusCmd  `cmd:"" help:"Print nodes, leader, shards and lag of a running cluster."`
	Explain        explainCmd `cmd:"" help:"Print how a query is understood and why each hit ranks where it does."`
}

type serveCmd struct{ options }

// config turns parsed options into a validated Config.
func (o *options) config() (Config, error) {
	stale, err := time.ParseDuration(zeroDuration(o.MaxStaleness))
	if err != nil {
		return Config{}, fmt.Errorf("--max-staleness: %w", err)
	}
	var every time.Duration
	switch o.ScheduleSnapshot {
	case "", "false":
	case "true":
		every = 24 * time.Hour
	default:
		if every, err = time.ParseDuration(o.ScheduleSnapshot + "s"); err != nil {
			return Config{}, fmt.Errorf("--schedule-snapshot %q is not a number of seconds", o.ScheduleSnapshot)
		}
	}
	name := o.Name
	if name == "" {
		if name, err = os.Hostname(); err != nil {
			return Config{}, fmt.Errorf("the host has no name, give one with --name: %w", err)
		}
	}
	c := Config{
		DBPath: o.DBPath, HTTPAddr: o.HTTPAddr, PeerAddr: o.PeerAddr, GossipAddr: o.GossipAddr,
		AdvertiseHTTP: o.AdvertiseHTTP, AdvertisePeer: o.AdvertisePeer, AdvertiseGossip: o.AdvertiseGossip,
		Name: name, Join: o.Join, InitMembers: o.InitMembers, ClusterSecret: o.ClusterSecret, InsecureCluster: o.InsecureCluster,
		Front: !o.NoFront, Data: !o.NoData, Voter: !o.NoVoter, MasterKey: o.MasterKey, Env: o.Env,
		PayloadLimit: int64(o.PayloadLimit), MaxStaleness: stale, MemoryLimit: int64(o.MemoryLimit),
		DefaultShards: o.DefaultShards, DefaultReplicas: o.DefaultReplicas, LogLevel: o.LogLevel, LogJSON: strings.EqualFold(o.LogsMode, "JSON"),
		SearchQueueSize: o.SearchQueueSize, SearchesPerCore: o.SearchesPerCore, DropSearchAfter: time.Duration(o.DropSearchAfter) * time.Second,
		MaxBatchedTasks: o.MaxBatchedTasks, MaxBatchedBytes: uint64(o.MaxBatchedBytes),
		TaskWebhookURL: o.TaskWebhookURL, TaskWebhookHeader: o.TaskWebhookHeader, AllowedIPNetworks: o.AllowedIPNetworks,
		DumpDir: o.DumpDir, ImportDump: o.ImportDump, IgnoreMissingDump: o.IgnoreMissingDump, IgnoreDumpIfDB: o.IgnoreDumpIfDBExists,
		SnapshotDir: o.SnapshotDir, ImportSnapshot: o.ImportSnapshot, IgnoreMissingSnap: o.IgnoreMissingSnapshot,
		IgnoreSnapIfDB: o.IgnoreSnapshotIfDBExist, ScheduleSnapshot: every,
		EnableMetrics: o.EnableMetrics, EnableLogsRoute: o.EnableLogsRoute, ContainsFilter: o.ContainsFilter, LegacySearch: o.LegacySearch,
		TLSCert: o.SSLCertPath, TLSKey: o.SSLKeyPath, TLSClientCA: o.SSLAuthPath, TLSRequireClient: o.SSLRequireAuth,
		EmbedderCacheSize: o.EmbedderCacheSize, WatchParent: o.WatchParent, HTTPFile: o.HTTPFile, ExpectNodes: o.ExpectNodes,
	}
	return c, c.Validate()
}

func zeroDuration(s string) string {
	if s == "0" {
		return "0s"
	}
	return s
}

// usageError is an error of the command line: exit status 2.
type usageError struct{ error }

// parse reads the command line, the environment and the TOML file.
func parse(args []string, stdout io.Writer) (*kong.Context, *cli, error) {
	var c cli
	file := &fileResolver{}
	parser, err := kong.New(&c,
		kong.Name("shoal"),
		kong.Description("Shoal is a search engine that is a cluster. It speaks the Meilisearch HTTP API.\n\n"+
			"\tone node:        shoal --db-path ./data\n"+
			"\tlocal cluster:   shoal dev --nodes 3 --db-path ./cluster\n"+
			"\tjoin a cluster:  shoal --join HOST:7946 --cluster-secret SECRET \\\n"+
			"\t                   --peer-addr MYHOST:7701 --gossip-addr MYHOST:7946\n\n"+
			"All options of a node: shoal serve --help"),
		kong.UsageOnError(), kong.Writers(stdout, os.Stderr), kong.Resolvers(file),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("command line: %w", err)
	}
	for _, f := range allFlags(parser.Model.Node) {
		if len(f.Envs) == 0 && f.Name != "help" && f.Name != "version" {
			n := strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			f.Envs = []string{"SHOAL_" + n, "MEILI_" + n}
			f.Tag.Envs = f.Envs
		}
	}
	if err := file.load(configPath(args)); err != nil {
		return nil, nil, usageError{err}
	}
	if err := file.check(allFlags(parser.Model.Node)); err != nil {
		return nil, nil, usageError{err}
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return nil, nil, usageError{err}
	}
	return ctx, &c, nil
}

func allFlags(n *kong.Node) []*kong.Flag {
	flags := append([]*kong.Flag(nil), n.Flags...)
	for _, ch := range n.Children {
		flags = append(flags, allFlags(ch)...)
	}
	return flags
}

// configPath finds the TOML file before the flags are parsed, since its values
// are their defaults. An empty path means "./config.toml if it is there".
func configPath(args []string) string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--config-file-path="); ok {
			return v
		}
		if a == "--config-file-path" && i+1 < len(args) {
			return args[i+1]
		}
	}
	for _, k := range []string{"SHOAL_CONFIG_FILE_PATH", "MEILI_CONFIG_FILE_PATH"} {
		if v := os.Getenv(k); v != "" {
			return v
		}
	}
	return ""
}

// fileResolver gives flags the values of the environment and of the TOML file.
// It asks the environment first so that the precedence does not depend on the
// order in which the flag library consults its sources.
type fileResolver struct {
	path   string
	values map[string]any
}

func (r *fileResolver) load(path string) error {
	explicit := path != ""
	if !explicit {
		path = "./config.toml"
	}
	b, err := os.ReadFile(path)
	if err != nil {
		if !explicit {
			return nil
		}
		return fmt.Errorf("unable to open or read the %q configuration file: %w.", path, errors.Unwrap(err)) //nolint:revive,staticcheck // upstream's text
	}
	r.path = path
	if err := toml.Unmarshal(b, &r.values); err != nil {
		return fmt.Errorf("configuration file %s: %w", path, err)
	}
	if _, ok := r.values["config_file_path"]; ok {
		return errors.New("`config_file_path` is not supported in the configuration file")
	}
	return nil
}

// check refuses keys that are no option.
func (r *fileResolver) check(flags []*kong.Flag) error {
	known := map[string]bool{}
	for _, f := range flags {
		known[strings.ReplaceAll(f.Name, "-", "_")] = true
	}
	for k := range r.values {
		if !known[k] {
			return fmt.Errorf("configuration file %s: unknown key `%s`", r.path, k)
		}
	}
	return nil
}

// Validate implements kong.Resolver.
func (r *fileResolver) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (r *fileResolver) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	for _, e := range f.Envs {
		if v, ok := os.LookupEnv(e); ok {
			return v, nil
		}
	}
	v, ok := r.values[strings.ReplaceAll(f.Name, "-", "_")]
	if !ok {
		return nil, nil
	}
	if list, ok := v.([]any); ok {
		parts := make([]string, len(list))
		for i, p := range list {
			parts[i] = fmt.Sprint(p)
		}
		return strings.Join(parts, ","), nil
	}
	return fmt.Sprint(v), nil
}
