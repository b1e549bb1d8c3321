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

// inFile is what a configuration file makes of a node.
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

// Whoever comes from the reference brings this file; the start ended with "unknown key
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

// Each key of the file, those in its comments too, is in effect, or the node says at its
// start that it changes nothing.
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
