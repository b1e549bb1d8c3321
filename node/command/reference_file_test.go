package command

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"shoal/node/config"
)

// stock is the configuration file of the reference, with the keys that it has in comments.
const stock = "testdata/meilisearch.toml"

// inFile is the configuration of a node that results from a configuration file.
func inFile(t *testing.T, content string) (config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	_, c, err := parse([]string{"--config-file-path", path})
	if err != nil {
		return config.Config{}, err
	}
	return c.Serve.config()
}

// Users of the reference bring this file. The start ended with "unknown key
// ssl_resumption".
func TestTheStockFileOfTheReferenceConfiguresANode(t *testing.T) {
	b, err := os.ReadFile(stock)
	if err != nil {
		t.Fatal(err)
	}
	c, err := inFile(t, string(b))
	if err != nil {
		t.Fatal(err)
	}
	if c.DBPath != "./data.ms" || c.Env != "development" || c.HTTPAddr != "localhost:7700" || c.PayloadLimit != 100_000_000 || c.ScheduleSnapshot != 0 || len(c.NoEffect) > 0 {
		t.Errorf("it makes %+v", c)
	}
}

// Each key of the file, including those in its comments, is in effect, or the node reports
// at its start that the key has no effect.
func TestEveryKeyOfTheStockFileIsInEffectOrSaidToChangeNothing(t *testing.T) {
	other := map[string]string{
		"db_path": `"./other"`, "env": `"production"`, "http_addr": `"localhost:7701"`, "http_payload_size_limit": `"200 MB"`, "log_level": `"WARN"`,
		"dump_dir": `"d/"`, "ignore_missing_dump": "true", "ignore_dump_if_db_exists": "true", "schedule_snapshot": "3600", "snapshot_dir": `"s/"`,
		"ignore_missing_snapshot": "true", "ignore_snapshot_if_db_exists": "true", "ssl_resumption": "true", "ssl_tickets": "true",
		"experimental_enable_metrics": "true", "experimental_reduce_indexing_memory_usage": "true",
		"master_key": `"YOUR_MASTER_KEY_VALUE"`, "no_analytics": "true", "max_indexing_memory": `"2 GiB"`, "max_indexing_threads": "4",
		"import_dump": `"./path/to/my/file.dump"`, "import_snapshot": `"./path/to/my/snapshot"`,
		"ssl_ocsp_path": `"./path/to/ocsp-file"`, "experimental_max_number_of_batched_tasks": "100",
	}
	b, err := os.ReadFile(stock)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if key, _, ok := strings.Cut(line, " = "); ok && other[key] == "" && key != "ssl_require_auth" {
			t.Errorf("key %s is not tried", key)
		}
	}
	base, err := inFile(t, "")
	if err != nil {
		t.Fatal(err)
	}
	tls := "ssl_cert_path = \"c\"\nssl_key_path = \"k\"\nssl_auth_path = \"a\"\n"
	withTLS, err := inFile(t, tls)
	if err != nil || withTLS.TLSCert != "c" || withTLS.TLSKey != "k" || withTLS.TLSClientCA != "a" {
		t.Errorf("%+v %v", withTLS, err)
	}
	if c, err := inFile(t, tls+"ssl_require_auth = true\n"); err != nil || !c.TLSRequireClient {
		t.Errorf("ssl_require_auth: %v", err)
	}
	for key, value := range other {
		c, err := inFile(t, fmt.Sprintf("%s = %s\n", key, value))
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		said := c.NoEffect
		c.NoEffect = nil
		changed := !reflect.DeepEqual(c, base)
		if named := len(said) == 1 && said[0] == "--"+strings.ReplaceAll(key, "_", "-"); changed == named {
			t.Errorf("%s: in effect: %v, said to change nothing: %q", key, changed, said)
		}
	}
}

// A unit file for the reference sets environment variables. A limit that is silently
// ignored would mislead the operator who set it.
func TestEveryVariableOfTheReferenceIsInEffectOrSaidToChangeNothing(t *testing.T) {
	base, err := inFile(t, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"REST_EMBEDDER_TIMEOUT_SECONDS": "5", "REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS": "6", "REMOTE_SEARCH_TIMEOUT_SECONDS": "7",
		"CONFIG_EMBEDDER_FAILURE_MODES": "ignore_embedder_failures",
		"PROXY_CONNECT_TIMEOUT_SECONDS": "3", "PROXY_BACKOFF_TIMEOUT_SECONDS": "25", "PROXY_REQUEST_TIMEOUT_SECONDS": "30",
		"DSR_FUEL_MAX_COUNTED_WORDS": "11", "DSR_FUEL_MAX_ACTIVE_RULES": "12", "DSR_FUEL_MAX_PIN_ACTIONS": "13",
		"DSR_FUEL_WORD_FUEL": "4096", "DSR_FUEL_FILTER_FUEL": "4096", "DSR_FUEL_FILTER_OR_FUEL": "100", "DSR_FUEL_FILTER_AND_FUEL": "100", "DSR_FUEL_FILTER_DEPTH_FUEL": "25",
		"INDEX_MAX_READERS": "1024", "TASK_QUEUE_MAX_READERS": "1024", "HNSW_LINEAR_BELOW": "1000", "HNSW_LINEAR_BELOW_RATIO": "0.1",
		"DISABLE_FID_BASED_DATABASES_CLEANUP": "1", "S3_COMPRESSION_LEVEL": "0", "S3_MAX_IN_FLIGHT_PARTS": "10", "S3_MULTIPART_PART_SIZE": "1", "S3_SIGNATURE_DURATION_SECONDS": "1",
		"S3_WEB_IDENTITY_TOKEN_DURATION_SECONDS": "3600", "S3_ROLE_ARN": "arn:aws:iam::1:role/r", "S3_WEB_IDENTITY_TOKEN_FILE": "/token",
		"REDUCE_INDEXING_MEMORY_USAGE": "true", "NO_EDITION_2024_FOR_SETTINGS": "true", "NO_EDITION_2024_FOR_DUMPS": "true", "REPLICATION_PARAMETERS": "true",
		"NO_SNAPSHOT_COMPACTION": "true", "DUMPLESS_UPGRADE": "true",
		"ENABLE_METRICS": "true", "ENABLE_LOGS_ROUTE": "true", "CONTAINS_FILTER": "true", "LEGACY_SEARCH": "true", "LOGS_MODE": "JSON", "SEARCH_QUEUE_SIZE": "9", "DROP_SEARCH_AFTER": "9",
		"NB_SEARCHES_PER_CORE": "9", "MAX_NUMBER_OF_BATCHED_TASKS": "9", "LIMIT_BATCHED_TASKS_TOTAL_SIZE": "9", "EMBEDDING_CACHE_ENTRIES": "9", "ALLOWED_IP_NETWORKS": "10.0.0.0/8",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("MEILI_EXPERIMENTAL_"+name, value)
			c, err := inFile(t, "")
			if err != nil {
				t.Fatal(err)
			}
			said := c.NoEffect
			c.NoEffect = nil
			changed := !reflect.DeepEqual(c, base)
			if named := len(said) == 1 && said[0] == "--experimental-"+strings.ToLower(strings.ReplaceAll(name, "_", "-")); changed == named {
				t.Errorf("in effect: %v, said to change nothing: %q", changed, said)
			}
		})
	}
}

func TestWrongLimitsOfTheReferenceAreRefusedByName(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"experimental_rest_embedder_timeout_seconds = 0", "--experimental-rest-embedder-timeout-seconds is 0: use 1 to 86400"},
		{"experimental_dsr_fuel_max_pin_actions = 1001", "--experimental-dsr-fuel-max-pin-actions is 1001: use 1 to 1000"},
		{"experimental_config_embedder_failure_modes = \"all\"", `--experimental-config-embedder-failure-modes has "all": use ignore_embedder_failures or ignore_document_template_failures`},
		{"s3_bucket_url = \"http://h\"\ns3_bucket_name = \"bucket\"\nexperimental_s3_role_arn = \"r\"", "--experimental-s3-role-arn and --experimental-s3-web-identity-token-file go together"},
	} {
		if _, err := inFile(t, c.line+"\n"); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.line, err)
		}
	}
	c, err := inFile(t, "experimental_config_embedder_failure_modes = \"ignore_document_template_failures, ignore_embedder_failures\"\n")
	if err != nil || !c.IgnoreEmbedderFailures || len(c.NoEffect) != 1 {
		t.Errorf("%+v %v", c.NoEffect, err)
	}
}
