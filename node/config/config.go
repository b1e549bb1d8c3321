package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"shoal/api"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/pinning"
	"shoal/node/storage"
	"shoal/wire"
)

// Config holds the options of one node. Every member has a flag, a SHOAL_ and (where the
// reference has the option) a MEILI_ variable, and a key in the TOML file; see package
// command. Start with DefaultConfig, change it, then Validate it.
type Config struct {
	// DBPath is the data folder; it is created when missing.
	DBPath string
	// HTTPAddr serves clients. PeerAddr serves other nodes (Raft, RPC and bulk on one TCP
	// port). GossipAddr is for gossip (TCP and UDP). Port 0 takes a free port. PeerAddr and
	// GossipAddr may be empty: then ports 7701 and 7946 of the loopback interface are used,
	// or free ones if those are taken.
	HTTPAddr, PeerAddr, GossipAddr string
	// AdvertiseHTTP, AdvertisePeer and AdvertiseGossip are the addresses that other nodes
	// are told; empty means derived from the addresses above.
	AdvertiseHTTP, AdvertisePeer, AdvertiseGossip string
	// Name is the node's label in lists and logs; empty = host name.
	Name string
	// Zone is the failure domain of the node; empty means none. At most wire.MaxZone
	// letters, digits and "-_./".
	Zone string
	// Join lists gossip addresses of existing members.
	Join []string
	// InitMembers, name=peer-address, must be the same on all first members of a new
	// cluster (docs/adr/0005). Once the data folder holds state they only hint at
	// addresses.
	InitMembers []string
	// ClusterSecret is the key of gossip and of the links between nodes. If it is empty, a
	// node that only its own machine can reach makes one and keeps it in its data folder.
	ClusterSecret string
	// ClusterSecretAlso is a second accepted secret while the cluster changes its secret.
	ClusterSecretAlso string
	// Front, Data and Voter are the node's roles.
	Front, Data, Voter bool

	MasterKey string
	// Env is "development" or "production".
	Env string
	// PayloadLimit bounds the decoded body of one request, in bytes.
	PayloadLimit int64
	// APIVersion is the version of the API that answers follow; "" means 1.50.
	APIVersion api.Version
	// MaxStaleness is how long searches go on without contact to the leader; 0 means not at
	// all.
	MaxStaleness time.Duration
	// MemoryLimit is the budget of the process in bytes; block cache and builders take a
	// quarter each. 0 means 60 % of the memory of the machine or its cgroup.
	MemoryLimit int64
	// DefaultShards is the number of shards of new indexes; 0 means planned at the first
	// import.
	DefaultShards int
	// DefaultReplicas is the wanted number of copies; 0 means by the size of the index and the
	// number of voters.
	DefaultReplicas int

	// Dictionaries is the folder with the dictionaries for Japanese and Korean; "" means
	// beside the program, "none" means no dictionaries.
	Dictionaries string

	LogLevel string
	LogJSON  bool

	// ShutdownDelay is how long a node that was asked to end still serves while /readyz
	// fails.
	ShutdownDelay time.Duration

	// ScrubInterval is the time between two readings of all table files; 0 means that files
	// are read only on demand.
	ScrubInterval time.Duration

	// AuditLog is the file that records who changed what; "" means none.
	AuditLog string
	// AuditWebhook is the URL that its lines are sent to; "" means none.
	AuditWebhook string

	// OTLPEndpoint is the collector of traces, by OTLP over HTTP; "" means none.
	OTLPEndpoint string

	// MetricsAddr serves metrics, profiles and probes without a key; "" means that nothing
	// does.
	MetricsAddr string

	SearchQueueSize   int
	SearchesPerCore   int
	DropSearchAfter   time.Duration
	MaxBatchedTasks   uint64
	MaxBatchedBytes   uint64
	TaskWebhookURL    string
	TaskWebhookHeader string
	AllowedIPNetworks []string
	DumpDir           string
	SnapshotDir       string
	ImportDump        string
	IgnoreMissingDump bool
	IgnoreDumpIfDB    bool
	ImportSnapshot    string
	IgnoreMissingSnap bool
	IgnoreSnapIfDB    bool
	ScheduleSnapshot  time.Duration
	// NoEffect lists given options that change nothing.
	NoEffect []string
	// ReadableSecrets are files with secrets that every user of the machine can read.
	ReadableSecrets []string
	// NoConsole: browsers get no console.
	NoConsole bool
	// Storage is where snapshots go instead of SnapshotDir, if it names anything. Keep says
	// which ones stay there.
	Storage storage.Options
	Keep    repository.Policy
	// Follow is the place of the snapshots of the cluster that this one follows as a
	// standby; "" means none. FollowEvery is how often it looks for a new one.
	Follow            string
	FollowEvery       time.Duration
	EnableMetrics     bool
	EnableLogsRoute   bool
	ContainsFilter    bool
	LegacySearch      bool
	TLSCert, TLSKey   string
	TLSOCSP           string
	TLSClientCA       string
	TLSRequireClient  bool
	EmbedderCacheSize int
	// EmbedderTimeout and EmbedderPause are as in embed.Config. IgnoreEmbedderFailures
	// indexes documents without vectors if they could not be embedded.
	EmbedderTimeout, EmbedderPause time.Duration
	IgnoreEmbedderFailures         bool
	// PersonalizationKey is the key of the service at PersonalizationURL that reranks
	// searches; "" means that none does.
	PersonalizationKey, PersonalizationURL, PersonalizationModel string
	// RemoteTimeout bounds a search on another instance.
	RemoteTimeout time.Duration
	RuleFuel      pinning.Fuel
	HTTPFile      int  // descriptor of a listener on HTTPAddr that the parent opened, 0 = none
	WatchParent   bool // end when standard input closes (local clusters)
	ExpectNodes   int  // /health fails until there are that many nodes (local clusters)
}

// DefaultConfig returns a configuration that serves on one node.
func DefaultConfig() Config {
	return Config{
		DBPath: "./data.ms", HTTPAddr: "localhost:7700",
		Front: true, Data: true, Voter: true, Env: "development", PayloadLimit: 100_000_000,
		MaxStaleness: 10 * time.Minute, LogLevel: "INFO", SearchQueueSize: 1000, SearchesPerCore: 4,
		DropSearchAfter: time.Minute, MaxBatchedTasks: 1<<64 - 1, DumpDir: "dumps/", SnapshotDir: "snapshots/",
		ScrubInterval: 24 * time.Hour,
	}
}

// Validate checks the members and their combinations. The error says which option to
// change.
func (c *Config) Validate() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if c.DBPath == "" {
		bad("--db-path is empty: name a folder for the data")
	}
	for _, a := range [][2]string{{"--http-addr", c.HTTPAddr}, {"--peer-addr", c.PeerAddr}, {"--gossip-addr", c.GossipAddr}, {"--metrics-addr", c.MetricsAddr}} {
		if _, _, err := net.SplitHostPort(a[1]); err != nil && (a[1] != "" || a[0] == "--http-addr") {
			bad("%s %q is not HOST:PORT", a[0], a[1])
		}
	}
	if c.Env != "development" && c.Env != "production" {
		bad("--env is %q: use development or production", c.Env)
	}
	if _, err := ParseLevel(c.LogLevel); err != nil {
		bad("--log-level: %w", err)
	}
	if !c.Front && !c.Data && !c.Voter {
		bad("the node has no role: leave at least one of front, data and voter on")
	}
	if len(c.Zone) > wire.MaxZone || strings.IndexFunc(c.Zone, notOfZones) >= 0 {
		bad("--zone %q is no name of a zone: use at most %d letters, digits and the signs - _ . /", c.Zone, wire.MaxZone)
	}
	if err := c.checkSecret(); err != nil {
		errs = append(errs, err)
	}
	for _, addr := range c.Join {
		if !joinable(addr) {
			bad("--join %q is not HOST:PORT: name the --gossip-addr of a member", addr)
		}
	}
	names, addrs := map[string]bool{}, map[string]string{}
	for _, m := range c.InitMembers {
		name, addr, ok := strings.Cut(m, "=")
		switch {
		case !ok || name == "" || !endsInPort(addr):
			bad("--init-members entry %q is not NAME=HOST:PORT", m)
		case names[name]:
			bad("--init-members lists the name %q twice: give each first member a --name of its own", name)
		case addrs[addr] != "":
			bad("--init-members gives %q and %q the same address %s: list the --peer-addr of each", addrs[addr], name, addr)
		}
		names[name], addrs[addr] = true, name
	}
	if len(c.InitMembers) > 0 && !c.InitMember(c.Name) {
		bad("--init-members does not list this node's --name %q: add it, or give --join if this node joins the cluster of those", c.Name)
	}
	if c.PayloadLimit <= 0 {
		bad("--http-payload-size-limit must be positive")
	}
	if c.SearchesPerCore < 1 || c.SearchQueueSize < 0 || c.DropSearchAfter < time.Second {
		bad("the search queue options must be at least 1 search per core and 1 second")
	}
	if err := checkMemory(c.MemoryLimit); err != nil {
		errs = append(errs, err)
	}
	if c.ScrubInterval < 0 {
		bad("--scrub-interval is %s: use 0s for never, or for example 24h", c.ScrubInterval)
	}
	if c.ShutdownDelay < 0 || c.ShutdownDelay > time.Hour {
		bad("--shutdown-delay is %s: use 0s to 1h", c.ShutdownDelay)
	}
	if c.DefaultShards < 0 || c.DefaultShards > 16 {
		bad("--default-shards is %d: use 0 (planned) to 16", c.DefaultShards)
	}
	if c.DefaultReplicas < 0 || c.DefaultReplicas > 7 {
		bad("--default-replicas is %d: use 0 (by size and number of voters) to 7", c.DefaultReplicas)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		bad("--ssl-cert-path and --ssl-key-path go together")
	}
	if c.ImportDump != "" && c.ImportSnapshot != "" {
		bad("--import-dump and --import-snapshot exclude each other")
	}
	if _, err := c.Storage.Bucket(); err != nil {
		errs = append(errs, err)
	}
	if c.Follow != "" {
		if _, err := c.Storage.Place(c.Follow); err != nil {
			bad("--follow: %w", err)
		}
		if c.ImportDump != "" || c.ImportSnapshot != "" {
			bad("--follow reads snapshots itself: leave --import-dump and --import-snapshot out")
		}
		if c.FollowEvery < time.Second {
			bad("--follow-every must be a second or more")
		}
	}
	if c.Keep.Last < 0 || c.Keep.Days < 0 {
		bad("--backup-keep-last and --backup-keep-days must not be negative")
	}
	if c.AuditWebhook != "" {
		if u, err := url.Parse(c.AuditWebhook); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			bad("--audit-webhook is not a URL of HTTP") // not shown: it may hold a secret
		}
	}
	if c.TaskWebhookURL != "" {
		if u, err := url.Parse(c.TaskWebhookURL); err != nil || u.Scheme == "" || u.Host == "" {
			bad("--task-webhook-url %q is not a URL", c.TaskWebhookURL)
		}
	}
	if c.PersonalizationKey != "" {
		if u, err := url.Parse(c.PersonalizationURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			bad("--personalization-url %q is not a URL", c.PersonalizationURL)
		}
	}
	return errors.Join(errs...)
}

// joinable tells whether --join may name an address. Without a port, it is that of this
// node's own --gossip-addr.
func joinable(addr string) bool {
	return addr != "" && !strings.ContainsAny(addr, "/ ") && (!strings.Contains(addr, ":") || endsInPort(addr) || net.ParseIP(strings.Trim(addr, "[]")) != nil)
}

// endsInPort tells whether an address of another node has a host and a port.
func endsInPort(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	n, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && bad == nil && host != "" && n > 0
}

// notOfZones tells whether a rune is forbidden in names of zones.
func notOfZones(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("-_./", r)
}

// InitMember tells whether InitMembers has a name.
func (c *Config) InitMember(name string) bool {
	for _, m := range c.InitMembers {
		if n, _, _ := strings.Cut(m, "="); n == name {
			return true
		}
	}
	return false
}

// ParseLevel reads the reference's level names, in upper or lower case.
func ParseLevel(s string) (slog.Level, error) {
	switch strings.ToUpper(s) {
	case "OFF":
		return slog.LevelError + 100, nil
	case "ERROR":
		return slog.LevelError, nil
	case "WARN":
		return slog.LevelWarn, nil
	case "INFO":
		return slog.LevelInfo, nil
	case "DEBUG":
		return slog.LevelDebug, nil
	case "TRACE":
		return slog.LevelDebug - 4, nil
	}
	return 0, fmt.Errorf("%q is no level: use OFF, ERROR, WARN, INFO, DEBUG or TRACE", s)
}

// minMasterKey is the reference's minimal length in production.
const minMasterKey = 16

// CheckMasterKey returns what is wrong with the master key of a production environment.
func (c *Config) CheckMasterKey() error {
	if c.Env != "production" || len(c.MasterKey) >= minMasterKey {
		return nil
	}
	if c.MasterKey == "" {
		return errors.New("You must provide a master key to secure your instance in a production environment. It can be specified via the MEILI_MASTER_KEY environment variable or the --master-key launch option.") //nolint:staticcheck // upstream's text
	}
	return fmt.Errorf("The master key must be at least %d bytes in a production environment. The provided key is only %d bytes.", minMasterKey, len(c.MasterKey)) //nolint:staticcheck // upstream's text
}
