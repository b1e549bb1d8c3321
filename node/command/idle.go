package command

import (
	"reflect"
	"slices"

	"shoal/node/config"
)

// idle are options of the reference that have no effect here. They are accepted so that a
// unit file or an environment written for the reference starts a node. The log names them
// at the start.
type idle struct {
	NoAnalytics        bool        `name:"no-analytics" group:"Without effect" help:"Accepted for compatibility; nothing is ever collected."`
	UpgradeDB          bool        `name:"upgrade-db" group:"Without effect" help:"Accepted for compatibility."`
	DumplessUpgrade    bool        `name:"experimental-dumpless-upgrade" group:"Without effect" help:"Accepted for compatibility."`
	SSLResumption      bool        `name:"ssl-resumption" group:"Without effect" help:"Accepted for compatibility: clients can always resume sessions."`
	SSLTickets         bool        `name:"ssl-tickets" group:"Without effect" help:"Accepted for compatibility: sessions are always resumed by tickets."`
	MaxIndexingMemory  config.Size `name:"max-indexing-memory" group:"Without effect" default:"0" placeholder:"SIZE" help:"Accepted for compatibility; see --memory-limit."`
	MaxIndexingThreads string      `name:"max-indexing-threads" group:"Without effect" placeholder:"N" help:"Accepted for compatibility."`
	ReduceMemory       bool        `group:"Without effect" name:"experimental-reduce-indexing-memory-usage" help:"Accepted for compatibility; see --memory-limit."`
	OldSettings        bool        `group:"Without effect" name:"experimental-no-edition-2024-for-settings" help:"Accepted for compatibility."`
	OldDumps           bool        `group:"Without effect" name:"experimental-no-edition-2024-for-dumps" help:"Accepted for compatibility."`
	Replication        bool        `group:"Without effect" name:"experimental-replication-parameters" help:"Accepted for compatibility."`
	SnapshotAsIs       bool        `group:"Without effect" name:"experimental-no-snapshot-compaction" help:"Accepted for compatibility."`
	S3Compression      string      `name:"experimental-s3-compression-level" group:"Without effect" placeholder:"N" help:"Accepted for compatibility."`
	S3Parts            string      `name:"experimental-s3-max-in-flight-parts" group:"Without effect" placeholder:"N" help:"Accepted for compatibility."`
	S3PartSize         string      `name:"experimental-s3-multipart-part-size" group:"Without effect" placeholder:"BYTES" help:"Accepted for compatibility."`
	S3Signature        string      `name:"experimental-s3-signature-duration-seconds" group:"Without effect" placeholder:"SECONDS" help:"Accepted for compatibility: requests are signed one by one."`
	S3TokenDuration    string      `name:"experimental-s3-web-identity-token-duration-seconds" group:"Without effect" placeholder:"SECONDS" help:"Accepted for compatibility: the service says how long credentials last."`
	RuleWordFuel       string      `name:"experimental-dsr-fuel-word-fuel" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: the words of rules are looked up at once."`
	RuleFilterFuel     string      `name:"experimental-dsr-fuel-filter-fuel" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: 1,000 alternatives of a filter are compared with rules."`
	RuleOrFuel         string      `name:"experimental-dsr-fuel-filter-or-fuel" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: see --experimental-dsr-fuel-filter-fuel."`
	RuleAndFuel        string      `name:"experimental-dsr-fuel-filter-and-fuel" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: see --experimental-dsr-fuel-filter-fuel."`
	RuleDepthFuel      string      `name:"experimental-dsr-fuel-filter-depth-fuel" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: see --experimental-dsr-fuel-filter-fuel."`
	ProxyConnect       string      `name:"experimental-proxy-connect-timeout-seconds" group:"Without effect" placeholder:"SECONDS" help:"Accepted for compatibility: writes are not passed on to other instances."`
	ProxyBackoff       string      `name:"experimental-proxy-backoff-timeout-seconds" group:"Without effect" placeholder:"SECONDS" help:"Accepted for compatibility: writes are not passed on to other instances."`
	ProxyRequest       string      `name:"experimental-proxy-request-timeout-seconds" group:"Without effect" placeholder:"SECONDS" help:"Accepted for compatibility: writes are not passed on to other instances."`
	IndexReaders       string      `name:"experimental-index-max-readers" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: readers are not counted."`
	QueueReaders       string      `name:"experimental-task-queue-max-readers" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: readers are not counted."`
	LinearBelow        string      `name:"experimental-hnsw-linear-below" group:"Without effect" placeholder:"N" help:"Accepted for compatibility: the nearest vectors are always exact."`
	LinearBelowRatio   string      `name:"experimental-hnsw-linear-below-ratio" group:"Without effect" placeholder:"RATIO" help:"Accepted for compatibility: the nearest vectors are always exact."`
	KeepFIDs           string      `name:"experimental-disable-fid-based-databases-cleanup" group:"Without effect" placeholder:"TEXT" help:"Accepted for compatibility."`
}

// given names the options that were given, sorted.
func (o *idle) given() (names []string) {
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			continue
		}
		names = append(names, "--"+v.Type().Field(i).Tag.Get("name"))
	}
	slices.Sort(names)
	return names
}
