package command

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"shoal/api"
	"shoal/coordinator/backup/repository"
	"shoal/node/commandline"
	"shoal/node/completion"
	"shoal/node/config"
	"shoal/node/ctl"
	"shoal/node/storage"
)

// options are the flags of a serving node. They have the reference's names where it has the
// option. A value comes from the flag, else SHOAL_*, else MEILI_*, else the TOML file (keys
// in snake_case), else the default.
type options struct {
	DBPath   string `name:"db-path" default:"./data.ms" placeholder:"DIR" help:"Folder for all data of this node."`
	HTTPAddr string `name:"http-addr" default:"localhost:7700" placeholder:"HOST:PORT" help:"Address for clients."`

	PeerAddr        string      `group:"Cluster" placeholder:"HOST:PORT" help:"Address for other nodes (TCP: Raft, RPC and bulk). Default: localhost:7701, or a free port if that is taken."`
	GossipAddr      string      `group:"Cluster" placeholder:"HOST:PORT" help:"Address for gossip (TCP and UDP). Default: localhost:7946, or a free port if that is taken."`
	AdvertiseHTTP   string      `group:"Cluster" placeholder:"HOST:PORT" help:"Address of --http-addr as others see it."`
	AdvertisePeer   string      `group:"Cluster" placeholder:"HOST:PORT" help:"Address of --peer-addr as others see it."`
	AdvertiseGossip string      `group:"Cluster" placeholder:"HOST:PORT" help:"Address of --gossip-addr as others see it."`
	Name            string      `group:"Cluster" placeholder:"NAME" help:"Label of this node (default: host name)."`
	Zone            string      `group:"Cluster" placeholder:"NAME" help:"What this node shares with others that fail together with it: a room, a data centre. Once all nodes name one, copies and votes are spread over zones."`
	Join            []string    `group:"Cluster" placeholder:"HOST:PORT,..." help:"Gossip addresses of members of a running cluster to join."`
	InitMembers     []string    `group:"Cluster" placeholder:"NAME=HOST:PORT,..." help:"First members of a new cluster by --name and --peer-addr, the same list on each of them; it begins once all are there. With an empty folder and a cluster that exists: joins it."`
	ClusterSecret   string      `group:"Cluster" placeholder:"TEXT" help:"Secret of the cluster, the same on all nodes: nodes prove with it that they belong, gossip and links are encrypted. Better in a file or in SHOAL_CLUSTER_SECRET, where other users do not see it."`
	SecretFile      string      `name:"cluster-secret-file" group:"Cluster" placeholder:"FILE" help:"File with the secret of the cluster in its first line (shoal secret makes one). A second line is what --cluster-secret-also says."`
	SecretAlso      string      `name:"cluster-secret-also" group:"Cluster" placeholder:"TEXT" help:"Second secret that is accepted while the cluster changes its secret."`
	NoFront         bool        `group:"Cluster" help:"Do not serve clients."`
	NoData          bool        `group:"Cluster" help:"Hold no shards."`
	NoVoter         bool        `group:"Cluster" help:"Never vote in the Raft group."`
	MaxStaleness    string      `group:"Cluster" default:"10m" placeholder:"DURATION" help:"How long searches go on without contact to the leader; 0 refuses them at once."`
	DefaultShards   int         `group:"Cluster" default:"0" placeholder:"N" help:"Shards of a new index; 0 plans them at the first import."`
	DefaultReplicas int         `group:"Cluster" default:"0" placeholder:"N" help:"Copies of each shard; 0 chooses: one on every data node, up to five, of an index that is small beside the disks, else by the number of voters."`
	MemoryLimit     config.Size `default:"0" placeholder:"SIZE" help:"Memory budget of the process; 0 takes 60 % of the machine's."`

	MasterKey    string      `placeholder:"KEY" help:"Key that protects the API; needed in production (16 bytes or more)."`
	KeyFile      string      `name:"master-key-file" placeholder:"FILE" help:"File with the master key in its first line."`
	Env          string      `default:"development" placeholder:"ENV" help:"development or production."`
	PayloadLimit config.Size `name:"http-payload-size-limit" default:"100MB" placeholder:"SIZE" help:"Largest request body."`
	APIVersion   string      `name:"api-version" default:"1.50" placeholder:"VERSION" help:"Version of the API whose answers are given where versions differ: 1.50 or 1.57. What 1.57 added is understood with both."`
	Dictionaries string      `placeholder:"DIR" help:"Folder with the dictionaries for Japanese and Korean, the same on all nodes (default: the folder dictionaries beside the program); none does without."`
	LogLevel     string      `default:"INFO" placeholder:"LEVEL" help:"OFF, ERROR, WARN, INFO, DEBUG or TRACE."`

	NoConsole bool `help:"Do not serve the console to browsers."`

	SSLCertPath    string `name:"ssl-cert-path" group:"HTTPS" placeholder:"FILE" help:"PEM certificate chain."`
	SSLKeyPath     string `name:"ssl-key-path" group:"HTTPS" placeholder:"FILE" help:"PEM private key."`
	SSLAuthPath    string `name:"ssl-auth-path" group:"HTTPS" placeholder:"FILE" help:"PEM authorities of client certificates."`
	SSLRequireAuth bool   `name:"ssl-require-auth" group:"HTTPS" help:"Demand a client certificate."`
	SSLOCSPPath    string `name:"ssl-ocsp-path" group:"HTTPS" placeholder:"FILE" help:"OCSP response (DER) that is sent with the certificate."`

	DumpDir                 string `group:"Backup" default:"dumps/" placeholder:"DIR" help:"Where dumps are written."`
	ImportDump              string `group:"Backup" placeholder:"FILE" help:"Dump to load into an empty data folder; for a new cluster the same on all first members."`
	IgnoreMissingDump       bool   `group:"Backup" help:"Start empty when the dump is missing."`
	IgnoreDumpIfDBExists    bool   `name:"ignore-dump-if-db-exists" group:"Backup" help:"Skip the dump when data exists."`
	SnapshotDir             string `group:"Backup" default:"snapshots/" placeholder:"DIR" help:"Where snapshots are written."`
	ImportSnapshot          string `group:"Backup" placeholder:"WHERE" help:"Snapshot to load into an empty data folder, for a new cluster the same on all first members: a file, or the newest of a folder of backups or of s3://BUCKET/PREFIX, or a certain one there with /snapshots/NAME."`
	IgnoreMissingSnapshot   bool   `group:"Backup" help:"Start empty when the snapshot is missing."`
	IgnoreSnapshotIfDBExist bool   `name:"ignore-snapshot-if-db-exists" group:"Backup" help:"Skip the snapshot when data exists."`
	ScheduleSnapshot        string `group:"Backup" placeholder:"SECONDS" help:"Take a snapshot every so many seconds; with a bucket or a folder of backups every hour when not given, false for never."`

	storage.Options
	Follow      string        `group:"Backup" placeholder:"WHERE" help:"Be a standby: follow the snapshots of another cluster, in s3://BUCKET/PREFIX or a folder of backups, and answer searches from the newest one, until 'shoal promote'. For an empty cluster; the same on all nodes."`
	FollowEvery time.Duration `name:"follow-every" group:"Backup" default:"30s" placeholder:"TIME" help:"How often a standby looks for a newer snapshot."`
	KeepLast    int           `name:"backup-keep-last" group:"Backup" default:"48" placeholder:"N" help:"Of the snapshots in a bucket or folder of backups, keep the newest N."`
	KeepDays    int           `name:"backup-keep-days" group:"Backup" default:"14" placeholder:"N" help:"And the last one of each of the newest N days."`

	TaskWebhookURL    string `name:"task-webhook-url" placeholder:"URL" help:"Called at the end of every batch."`
	TaskWebhookHeader string `name:"task-webhook-authorization-header" placeholder:"TEXT" help:"Authorization header of that call."`

	SearchQueueSize   int         `name:"experimental-search-queue-size" group:"Limits" default:"1000" placeholder:"N" help:"Searches that may wait."`
	DropSearchAfter   int         `name:"experimental-drop-search-after" group:"Limits" default:"60" placeholder:"SECONDS" help:"How long one may wait."`
	SearchesPerCore   int         `name:"experimental-nb-searches-per-core" group:"Limits" default:"4" placeholder:"N" help:"Searches at once per core."`
	MaxBatchedTasks   uint64      `name:"experimental-max-number-of-batched-tasks" group:"Limits" default:"18446744073709551615" placeholder:"N" help:"Most tasks in one batch."`
	MaxBatchedBytes   config.Size `name:"experimental-limit-batched-tasks-total-size" group:"Limits" default:"0" placeholder:"SIZE" help:"Most payload bytes in one batch (0: half the memory budget, at most 10 GiB)."`
	EmbedderCacheSize int         `name:"experimental-embedding-cache-entries" group:"Limits" default:"0" placeholder:"N" help:"Query embeddings kept."`
	tuning
	personalization
	idle

	EnableMetrics     bool     `name:"experimental-enable-metrics" group:"Experimental" help:"Serve /metrics."`
	EnableLogsRoute   bool     `name:"experimental-enable-logs-route" group:"Experimental" help:"Serve /logs."`
	ContainsFilter    bool     `name:"experimental-contains-filter" group:"Experimental" help:"Allow CONTAINS in filters."`
	LegacySearch      bool     `name:"experimental-legacy-search-default" env:"SHOAL_EXPERIMENTAL_LEGACY_SEARCH,MEILI_EXPERIMENTAL_LEGACY_SEARCH" group:"Experimental" help:"Default of the legacySearch feature."`
	LogsMode          string   `name:"experimental-logs-mode" group:"Experimental" default:"HUMAN" placeholder:"MODE" help:"HUMAN or JSON."`
	AllowedIPNetworks []string `name:"experimental-allowed-ip-networks" group:"Experimental" placeholder:"CIDR,..." help:"Private networks that outgoing calls may reach."`

	MetricsAddr   string        `name:"metrics-addr" placeholder:"HOST:PORT" help:"Serve /metrics, /debug/pprof, /livez and /readyz here too, without a key: an address that only those reach who watch the cluster."`
	AuditLog      string        `name:"audit-log" placeholder:"FILE" help:"Write who changed what to this file, a JSON object a line: key, address, route, index, task. With 64 MiB it is put aside as FILE.1."`
	AuditWebhook  string        `name:"audit-webhook" placeholder:"URL" help:"Send who changed what there too, lines as in --audit-log=FILE. 10,000 lines wait while the server is away; lost ones count in shoal_audit_lost_total."`
	OTLPEndpoint  string        `name:"otlp-endpoint" env:"SHOAL_OTLP_ENDPOINT,OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"Send traces there, to a collector of OpenTelemetry that takes OTLP over HTTP: http://localhost:4318. The other OTEL_ variables count, too: OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS."`
	ScrubInterval time.Duration `name:"scrub-interval" default:"24h" placeholder:"TIME" help:"How often all files of documents are read and compared with their checksums, slowly and in the background; what is damaged is fetched from another node. 0s: only what is read anyway."`
	ShutdownDelay time.Duration `name:"shutdown-delay" default:"0s" placeholder:"TIME" help:"How long to go on serving after a stop was asked for, with /readyz failing, so that load balancers notice first."`

	WatchParent bool `name:"watch-parent" hidden:""`
	HTTPFile    int  `name:"http-fd" hidden:""`
	ExpectNodes int  `name:"expect-nodes" hidden:""`
	Insecure    bool `name:"insecure-cluster" hidden:""` // of earlier programs: refused
}

// cli is the whole command line.
type cli struct {
	ConfigFilePath string         `name:"config-file-path" placeholder:"FILE" help:"TOML file with options (default: ./config.toml if present)."`
	PrintVersion   bool           `name:"version" help:"Print the version."`
	Serve          serveCmd       `cmd:"" default:"withargs" help:"Serve (the default command)."`
	Dev            devCmd         `cmd:"" help:"Run a local cluster of N nodes under one command, for trial and tests."`
	Status         ctl.ShowStatus `cmd:"" help:"Print nodes, leader, shards and lag of a running cluster."`
	Secret         secretCmd      `cmd:"" help:"Print a new secret for a cluster: shoal secret > FILE."`
	Explain        ctl.Explain    `cmd:"" help:"Print how a query is understood and why each hit ranks where it does."`

	Import       ctl.Import        `cmd:"" help:"Send files of documents to an index: JSON, NDJSON or CSV; goes on where it was when run again."`
	Dump         ctl.Dump          `cmd:"" help:"Have a dump written and wait for it."`
	Snapshot     ctl.Snapshot      `cmd:"" help:"Have a snapshot taken and wait for it."`
	Promote      ctl.Promote       `cmd:"" help:"Have a standby follow nobody any more: it accepts writes."`
	Snapshots    storage.Snapshots `cmd:"" help:"List the snapshots in a bucket or a folder of backups, or verify one; needs no cluster."`
	Check        ctl.Check         `cmd:"" help:"Say in one line how the cluster is, with an exit status for monitoring."`
	Top          ctl.Top           `cmd:"" help:"Show nodes, running batches and the queue, again and again."`
	Debug        ctl.Debug         `cmd:"" help:"Find out what is wrong with a cluster."`
	SlowLog      ctl.SlowLog       `cmd:"" name:"slowlog" help:"Show or change which requests all nodes log as slow; no restart."`
	Decommission ctl.Decommission  `cmd:"" help:"Move all copies off a node so that it can be stopped for good."`
	Remove       ctl.Remove        `cmd:"" help:"Take a node out of the cluster for good; asks first when it is alive."`
	Context      ctl.Contexts      `cmd:"" help:"Name clusters, so that commands need no --url."`
	Recover      recoverCmd        `cmd:"" help:"Make the only node that is left of a cluster the start of a new one, when more than half of the voters are lost for good."`
	Verify       verifyCmd         `cmd:"" help:"Read everything that nodes have, compare it with its checksums and copies with each other; exit status 1 when something is damaged. Without a folder the nodes of the running cluster do so, one after the other; with folders, those of nodes that do not run."`
	Completion   completion.Script `cmd:"" help:"Print a script that completes commands in a shell: source <(shoal completion bash)."`
	Names        ctl.Names         `cmd:"" hidden:"" help:"Print names for the completion of a shell: nodes, indexes or contexts."`
	Version      struct{}          `cmd:"" help:"Print version, commit and date of this program."`
	Man          completion.Manual `cmd:"" help:"Print the manual page: shoal man | man -l -"`
}

type serveCmd struct{ options }

// config turns parsed options into a validated Config.
func (o *options) config() (config.Config, error) {
	if o.Insecure {
		return config.Config{}, fmt.Errorf("--insecure-cluster is gone, every cluster has a secret now: stop all nodes, %s, and leave this option out; the data folders stay as they are", config.MakeSecret)
	}
	stale, err := time.ParseDuration(zeroDuration(o.MaxStaleness))
	if err != nil {
		return config.Config{}, fmt.Errorf("--max-staleness: %w", err)
	}
	var every time.Duration
	switch o.ScheduleSnapshot {
	case "":
		if o.BackupDir != "" || o.S3Bucket != "" {
			every = time.Hour
		}
	case "false":
	case "true":
		every = 24 * time.Hour
	default:
		if every, err = time.ParseDuration(o.ScheduleSnapshot + "s"); err != nil {
			return config.Config{}, fmt.Errorf("--schedule-snapshot %q is not a number of seconds", o.ScheduleSnapshot)
		}
	}
	name := o.Name
	if name == "" {
		if name, err = os.Hostname(); err != nil {
			return config.Config{}, fmt.Errorf("the host has no name, give one with --name: %w", err)
		}
	}
	secret, also, err := textOrFile("--cluster-secret", o.ClusterSecret, o.SecretFile)
	if err != nil {
		return config.Config{}, err
	}
	if o.SecretAlso != "" {
		also = o.SecretAlso
	}
	key, _, err := textOrFile("--master-key", o.MasterKey, o.KeyFile)
	if err != nil {
		return config.Config{}, err
	}
	version, ok := api.ParseVersion(o.APIVersion)
	if !ok {
		return config.Config{}, fmt.Errorf("--api-version %q is not known: give 1.50 or 1.57", o.APIVersion)
	}
	c := config.Config{
		APIVersion: version,
		DBPath:     o.DBPath, HTTPAddr: o.HTTPAddr, PeerAddr: o.PeerAddr, GossipAddr: o.GossipAddr,
		AdvertiseHTTP: o.AdvertiseHTTP, AdvertisePeer: o.AdvertisePeer, AdvertiseGossip: o.AdvertiseGossip,
		Name: name, Zone: o.Zone, Join: o.Join, InitMembers: o.InitMembers, ClusterSecret: secret, ClusterSecretAlso: also,
		Front: !o.NoFront, Data: !o.NoData, Voter: !o.NoVoter, MasterKey: key, Env: o.Env,
		PayloadLimit: int64(o.PayloadLimit), MaxStaleness: stale, MemoryLimit: int64(o.MemoryLimit),
		DefaultShards: o.DefaultShards, DefaultReplicas: o.DefaultReplicas, LogLevel: o.LogLevel, Dictionaries: o.Dictionaries, LogJSON: strings.EqualFold(o.LogsMode, "JSON"),
		SearchQueueSize: o.SearchQueueSize, SearchesPerCore: o.SearchesPerCore, DropSearchAfter: time.Duration(o.DropSearchAfter) * time.Second,
		MaxBatchedTasks: o.MaxBatchedTasks, MaxBatchedBytes: uint64(o.MaxBatchedBytes),
		TaskWebhookURL: o.TaskWebhookURL, TaskWebhookHeader: o.TaskWebhookHeader, AllowedIPNetworks: o.AllowedIPNetworks,
		DumpDir: o.DumpDir, ImportDump: o.ImportDump, IgnoreMissingDump: o.IgnoreMissingDump, IgnoreDumpIfDB: o.IgnoreDumpIfDBExists,
		SnapshotDir: o.SnapshotDir, ImportSnapshot: o.ImportSnapshot, IgnoreMissingSnap: o.IgnoreMissingSnapshot,
		IgnoreSnapIfDB: o.IgnoreSnapshotIfDBExist, ScheduleSnapshot: every, Storage: o.Options, Follow: o.Follow, FollowEvery: o.FollowEvery, Keep: repository.Policy{Last: o.KeepLast, Days: o.KeepDays},
		EnableMetrics: o.EnableMetrics, EnableLogsRoute: o.EnableLogsRoute, ContainsFilter: o.ContainsFilter, LegacySearch: o.LegacySearch,
		TLSCert: o.SSLCertPath, TLSKey: o.SSLKeyPath, TLSOCSP: o.SSLOCSPPath, NoEffect: o.given(), TLSClientCA: o.SSLAuthPath, TLSRequireClient: o.SSLRequireAuth,
		EmbedderCacheSize: o.EmbedderCacheSize, WatchParent: o.WatchParent, HTTPFile: o.HTTPFile, ExpectNodes: o.ExpectNodes, ShutdownDelay: o.ShutdownDelay, NoConsole: o.NoConsole, ReadableSecrets: readable(o.SecretFile, o.KeyFile, o.SSLKeyPath), ScrubInterval: o.ScrubInterval, MetricsAddr: o.MetricsAddr, AuditLog: o.AuditLog, AuditWebhook: o.AuditWebhook, OTLPEndpoint: o.OTLPEndpoint,
	}
	c.PersonalizationKey, c.PersonalizationURL, c.PersonalizationModel = strings.TrimSpace(o.PersonalizationKey), o.PersonalizationURL, o.PersonalizationModel
	if err := o.tune(&c); err != nil {
		return config.Config{}, err
	}
	if len(c.Join) > 0 && !c.InitMember(c.Name) {
		// The same command line serves first members and later ones, as in the pods of one
		// StatefulSet.
		c.InitMembers = nil
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

// about is the description in the help.
const about = "Shoal is a search engine that is a cluster. It speaks the Meilisearch HTTP API.\n\n" +
	"\tone node:        shoal --db-path ./data\n" +
	"\tlocal cluster:   shoal dev --nodes 3 --db-path ./cluster\n" +
	"\tjoin a cluster:  shoal --join HOST:7946 --cluster-secret-file FILE \\\n" +
	"\t                   --peer-addr MYHOST:7701 --gossip-addr MYHOST:7946\n\n" +
	"All options of a node: shoal serve --help"

// program returns the command line and the struct that holds its values.
func program() (*commandline.Command, *cli) {
	c := &cli{}
	root := commandline.New("shoal", about, c)
	for _, f := range allFlags(root) {
		if len(f.Envs) == 0 && f.Name != "help" && f.Name != "version" {
			n := strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			f.Envs = []string{"SHOAL_" + n, "MEILI_" + n}
		}
	}
	return root, c
}

// parse reads the command line, the environment and the TOML file.
func parse(args []string) (*commandline.Line, *cli, error) {
	root, c := program()
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	file := &optionFile{}
	if err := file.load(configPath(args)); err != nil {
		return nil, nil, usageError{err}
	}
	if err := file.check(allFlags(root)); err != nil {
		return nil, nil, usageError{err}
	}
	line, err := root.Parse(args, file.find)
	if err != nil {
		return nil, nil, usageError{err}
	}
	return line, c, nil
}

// explainedBy names the help page for a refused command line.
func explainedBy(args []string) string {
	root, _ := program()
	page, at := "serve", root
	for k, a := range args {
		i := slices.IndexFunc(at.Commands, func(c *commandline.Command) bool { return c.Name == a && !c.Hidden })
		switch {
		case i >= 0 && at == root:
			page, at = a, at.Commands[i]
		case i >= 0:
			page, at = page+" "+a, at.Commands[i]
		case k == 0 && !strings.HasPrefix(a, "-"):
			return "Run `shoal --help` for the commands."
		}
	}
	return "Run `shoal " + page + " --help` for the options."
}

func allFlags(c *commandline.Command) []*commandline.Flag {
	flags := slices.Clone(c.Flags)
	for _, below := range c.Commands {
		flags = append(flags, allFlags(below)...)
	}
	return flags
}

// configPath finds the TOML file before the flags are parsed, because its values are their
// defaults. An empty path means "./config.toml if it exists".
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

// optionFile has the values of the TOML file.
type optionFile struct {
	path   string
	values map[string]any
}

func (r *optionFile) load(path string) error {
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

// check refuses keys that are not options.
func (r *optionFile) check(flags []*commandline.Flag) error {
	known := map[string]bool{}
	for _, f := range flags {
		known[strings.ReplaceAll(f.Name, "-", "_")] = true
	}
	for k := range r.values {
		if !known[k] {
			return commandline.Unknown(fmt.Sprintf("configuration file %s: unknown key `%s`", r.path, k), k, slices.Sorted(maps.Keys(known)))
		}
	}
	return nil
}

// find implements commandline.Source: it looks in the environment, then in the file.
func (r *optionFile) find(f *commandline.Flag) (text string, ok bool) {
	for _, e := range f.Envs {
		if v, ok := os.LookupEnv(e); ok {
			return v, true
		}
	}
	v, ok := r.values[strings.ReplaceAll(f.Name, "-", "_")]
	if !ok {
		return "", false
	}
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v), true
	}
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = fmt.Sprint(p)
	}
	return strings.Join(parts, ","), true
}
