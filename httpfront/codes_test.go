package httpfront

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// unproduced are the codes that no request can cause, with the reason. The table has them
// because the reference has them.
var unproduced = map[string]string{
	"bad_parameter":                            "the reference never answers it",
	"database_size_limit_reached":              "our stores have no fixed size",
	"dump_already_processing":                  "the reference never answers it",
	"dump_not_found":                           "the reference never answers it",
	"dump_process_failed":                      "a failed dump says what failed",
	"duplicate_index_found":                    "the reference never answers it",
	"immutable_api_key_key":                    "the reference never answers it (spec tasks-auth-ops-api 7.6)",
	"import_task_already_received":             "Enterprise Edition",
	"import_task_unknown_remote":               "Enterprise Edition",
	"import_task_without_network_task":         "Enterprise Edition",
	"inconsistent_document_change_headers":     "Enterprise Edition",
	"index_creation_failed":                    "the reference never answers it",
	"invalid_chat_completion_pre_query_prompt": "the reference never answers it",
	"invalid_chat_completion_prompts":          "the reference never answers it",
	"invalid_chat_completion_source":           "the reference answers bad_request",
	"invalid_document_geojson_field":           "the reference answers invalid_document_geo_field (spec write-api 8.2)",
	"invalid_document_retrieve":                "1.53 has it for tasks of old dumps",
	"invalid_export_index_filter":              "any value is a filter until the export runs",
	"invalid_export_indexes_patterns":          "the reference answers bad_request",
	"invalid_facet_search_name":                "the reference never answers it",
	"invalid_header_value":                     "Enterprise Edition",
	"invalid_index_custom_metadata":            "any text will do",
	"invalid_multi_search_facets":              "the reference never answers it",
	"invalid_multi_search_federated":           "the reference never answers it",
	"invalid_s_3_snapshot_parameters":          "Enterprise Edition",
	"invalid_search_media":                     "any value will do",
	"invalid_state":                            "the reference never answers it",
	"invalid_store_file":                       "the reference never answers it",
	"network_version_mismatch":                 "Enterprise Edition",
	"network_version_too_old":                  "Enterprise Edition",
	"not_leader":                               "Enterprise Edition",
	"receive_import_finished_unknown_remote":   "Enterprise Edition",
	"too_many_vectors":                         "the reference never answers it",
	"unknown_remote":                           "Enterprise Edition",
	"unprocessed_network_task":                 "Enterprise Edition",
	"unretrievable_document":                   "a stored document is always readable",
	"unretrievable_error_code":                 "stands for codes of other versions",
	"unsupported_media_type":                   "the reference never answers it",
}

// recorded are the codes in the recorded answers of the reference (make conformance), in
// addition to those in tests here.
var recorded = map[string]bool{
	"invalid_similar_id": true, "not_found_similar_id": true, "invalid_vectors_type": true, "invalid_multi_search_query_ranking_rules": true,
}

// Every code of the API is expected by some test, in one of three ways: a test names it, a
// test names the constructor of its message, or it belongs to a row of the tables that the
// tests of the surface go through. The rest is listed with a reason.
func TestEveryCode(t *testing.T) {
	tests, constructors := sources(t)
	walked := map[string]bool{}
	for _, r := range table() {
		if table := r.Query; table != nil {
			for _, d := range table.DescribeQuery() {
				walked[d.Code.Name] = walked[d.Code.Name] || d.Words != nil || d.Kinds[0] != jsonvalue.KindString
			}
		}
		if table := r.Body; table != nil {
			walk(walked, table.Describe())
		}
	}
	for _, s := range settings.Table() {
		walk(walked, []decode.Described{s.Describe()})
	}
	for _, name := range apierr.CodeNames() {
		expected := walked[name]
		for _, word := range append(constructors[name], name) {
			expected = expected || tests[word]
		}
		reason, excused := unproduced[name]
		switch {
		case !expected && !excused && !recorded[name]:
			t.Errorf("no test expects the code %s (%v)", name, constructors[name])
		case expected && excused:
			t.Errorf("a test expects the code %s, which is listed as %q", name, reason)
		}
	}
	for name := range unproduced {
		if _, known := apierr.CodeByName(name); !known {
			t.Errorf("%s is no code", name)
		}
	}
}

func walk(walked map[string]bool, list []decode.Described) {
	for i := range list {
		d := &list[i]
		if len(d.Kinds) <= int(jsonvalue.KindObject) { // else no value is wrong
			walked[d.Code.Name] = true
		}
		walk(walked, d.Members)
		if d.Item != nil {
			walk(walked, []decode.Described{*d.Item})
		}
	}
}

var (
	codeRow     = regexp.MustCompile(`(Code\w+)\s*=\s*(?:code|Declare)\("(\w+)"`)
	constructor = regexp.MustCompile(`(?s)\nfunc (\w+)\([^)]*\) \*(?:apierr\.)?Error \{(.*?)\n\}`)
	codeUse     = regexp.MustCompile(`\bCode[A-Z]\w+`)
	word        = regexp.MustCompile(`\w+`)
)

// sources reads the tree: the words of all tests, and by code the Go names that
// stand for it.
func sources(t *testing.T) (tests map[string]bool, goNames map[string][]string) {
	t.Helper()
	tests, goNames = map[string]bool{}, map[string][]string{}
	names := map[string]string{} // Go name -> code
	var messages []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		inAPI := strings.HasPrefix(path, filepath.Join("..", "api")+string(filepath.Separator))
		isTest := strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "codes_test.go"
		if !isTest && !inAPI {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if isTest {
			for _, w := range word.FindAllString(string(text), -1) {
				tests[w] = true
			}
			return nil
		}
		for _, m := range codeRow.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = m[2]
			goNames[m[2]] = append(goNames[m[2]], m[1])
		}
		messages = append(messages, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range messages {
		for _, m := range constructor.FindAllStringSubmatch(text, -1) {
			for _, use := range codeUse.FindAllString(m[2], -1) {
				if code, ok := names[use]; ok {
					goNames[code] = append(goNames[code], m[1])
				}
			}
		}
	}
	return tests, goNames
}
