package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
	"shoal/coordinator/backup/restore"
	"shoal/coordinator/pinning"
	"shoal/coordinator/task"
	"shoal/wire"
)

// contents are the findings of the first walk over an archive. It does not read documents or
// update files.
type contents struct {
	instanceUID string
	keys        []*wire.Key
	features    settings.Features
	network     *api.Network
	webhooks    []api.Webhook
	folders     map[string]*indexContents
	rules       json.RawMessage
	// documentRules are the rules that the reference keeps as documents, without strangeRules
	// others.
	documentRules *pinning.Store
	strangeRules  int
	aliases       map[string]string            // uids of indexes by alias
	chats         map[string]*api.ChatSettings // by workspace

	tasks       uint64
	nextTask    uint64
	nextBatch   uint64                    // after all batches and those that tasks name
	afterBatch  uint64                    // after all batches
	imports     map[uint32]*task.Addition // unfinished, with documents
	updateFiles map[uint32]bool
	members     []membership

	files map[string]bool
}

// membership tells that a task ran in a batch.
type membership struct{ batch, task uint32 }

// indexContents is one folder below indexes/.
type indexContents struct {
	indexLine
	settings  *settings.Settings
	hasMeta   bool
	bytes     int64
	documents uint64 // set by verify
	hasDocs   bool
}

// survey is the first walk. It decodes everything but documents.
func survey(ctx context.Context, file string) (*contents, error) {
	c := &contents{
		folders: map[string]*indexContents{}, chats: map[string]*api.ChatSettings{}, files: map[string]bool{},
		imports: map[uint32]*task.Addition{}, updateFiles: map[uint32]bool{}, documentRules: new(pinning.Store),
	}
	if err := walk(ctx, file, c.take); err != nil {
		return nil, err
	}
	return c, c.check()
}

// take processes one file. It skips unknown ones.
func (c *contents) take(e *entry) error {
	if c.files[e.name] {
		return damaged("%s stands in it twice", e.name)
	}
	c.files[e.name] = true
	folder, base := path.Split(e.name)
	switch {
	case e.name == "metadata.json":
		return c.metadata(e)
	case e.name == "instance_uid.uuid":
		return c.instance(e)
	case e.name == "keys.jsonl":
		return e.lines(func(line []byte) error {
			k, err := readKey(line)
			c.keys = append(c.keys, k)
			return err
		})
	case e.name == "experimental-features.json":
		return e.json(&c.features)
	case e.name == "network.json":
		c.network = &api.Network{Remotes: map[string]api.NetworkRemote{}, Shards: map[string]api.NetworkShard{}, Version: uuid.Nil.String()}
		return e.json(c.network)
	case e.name == "webhooks.json":
		return c.hooks(e)
	case e.name == aliasesFile:
		return e.json(&c.aliases)
	case e.name == rulesFile:
		data, err := e.small()
		if err == nil {
			err = asDamaged(restore.CheckRules(data))
		}
		c.rules = data
		return err
	case e.name == "tasks/queue.jsonl":
		return e.lines(c.task)
	case e.name == "batches/queue.jsonl":
		return e.lines(c.batch)
	case folder == "tasks/update_files/":
		return c.updateFile(e, base)
	case folder == chatFolder:
		return c.chat(e, base)
	case strings.HasPrefix(folder, "indexes/") && strings.Count(folder, "/") == 2:
		return c.index(e, path.Base(folder), base)
	}
	return nil
}

// json decodes a small file.
func (e *entry) json(into any) error {
	data, err := e.small()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return damaged("%s: %w", e.name, err)
	}
	return nil
}

func (c *contents) metadata(e *entry) error {
	var m struct{ DumpVersion string }
	if err := e.json(&m); err != nil {
		return err
	}
	if m.DumpVersion != "V6" {
		return &formatError{m.DumpVersion}
	}
	return nil
}

// formatError: the dump has another version of the format.
type formatError struct{ version string }

func (e *formatError) Error() string {
	return fmt.Sprintf("the dump has format %q, only V6 can be read: import it into a recent Meilisearch and take a dump there", e.version)
}

func (c *contents) instance(e *entry) error {
	data, err := e.small()
	if err != nil {
		return err
	}
	uid, err := uuid.Parse(string(bytes.TrimSpace(data)))
	if err != nil {
		return damaged("%s: %w", e.name, err)
	}
	c.instanceUID = uid.String()
	return nil
}

func (c *contents) chat(e *entry, base string) error {
	name, ok := strings.CutSuffix(base, ".json")
	if !ok || name == "" {
		return nil
	}
	settings := api.DefaultChatSettings()
	c.chats[name] = settings
	return e.json(settings)
}

func (c *contents) hooks(e *entry) error {
	var stored struct {
		Webhooks map[string]struct {
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers"`
		} `json:"webhooks"`
	}
	if err := e.json(&stored); err != nil {
		return err
	}
	for _, name := range sortedNames(stored.Webhooks) {
		id, err := uuid.Parse(name)
		if err != nil {
			return damaged("%s: %w", e.name, err)
		}
		if id == uuid.Nil {
			continue // the webhook of the command line
		}
		hook := api.Webhook{UUID: id.String(), Editable: true, URL: stored.Webhooks[name].URL}
		for _, h := range sortedNames(stored.Webhooks[name].Headers) {
			hook.Headers = append(hook.Headers, decode.Entry[string]{Name: h, Value: stored.Webhooks[name].Headers[h]})
		}
		c.webhooks = append(c.webhooks, hook)
	}
	return nil
}

func (c *contents) task(line []byte) error {
	t, err := readTaskLine(line)
	if err != nil {
		return err
	}
	if uint64(t.UID) < c.nextTask {
		return damaged("task %d does not come after the one before", t.UID)
	}
	c.tasks++
	c.nextTask = uint64(t.UID) + 1
	if t.Batch != nil {
		if *t.Batch == wire.NoBatch {
			return damaged("task %d: batch %d", t.UID, *t.Batch)
		}
		c.members = append(c.members, membership{*t.Batch, t.UID})
		c.nextBatch = max(c.nextBatch, uint64(*t.Batch)+1)
	}
	if t.documents != nil && t.documents.Manifest.Documents > 0 {
		c.imports[t.UID] = t.documents
	}
	return nil
}

func (c *contents) batch(line []byte) error {
	b, err := readBatch(line)
	if err != nil {
		return err
	}
	if uint64(b.UID) < c.afterBatch {
		return damaged("batch %d does not come after the one before", b.UID)
	}
	c.afterBatch = uint64(b.UID) + 1
	c.nextBatch = max(c.nextBatch, c.afterBatch)
	return nil
}

func (c *contents) updateFile(e *entry, base string) error {
	number, ok := strings.CutSuffix(base, ".jsonl")
	if uid, err := strconv.ParseUint(number, 10, 32); ok && err == nil {
		c.updateFiles[uint32(uid)] = true
	}
	return nil
}

func (c *contents) index(e *entry, folder, base string) error {
	x := c.folders[folder]
	if x == nil {
		x = &indexContents{}
		c.folders[folder] = x
	}
	switch base {
	case "metadata.json":
		x.hasMeta = true
		return e.json(&x.indexLine)
	case "settings.json":
		data, err := e.small()
		if err != nil {
			return err
		}
		if x.settings, err = readSettings(data); err != nil {
			return damaged("%s: %w", e.name, err)
		}
	case "documents.jsonl":
		x.hasDocs, x.bytes = true, e.size
		if folder == task.RulesIndex {
			return e.lines(c.rule)
		}
	}
	return nil
}

// check checks all findings together.
func (c *contents) check() error {
	for _, required := range []string{"metadata.json", "keys.jsonl", "tasks/queue.jsonl"} {
		if !c.files[required] {
			return damaged("it has no %s", required)
		}
	}
	seen := map[string]bool{}
	for _, folder := range sortedNames(c.folders) {
		x := c.folders[folder]
		if !x.hasMeta || x.settings == nil || !x.hasDocs {
			return damaged("indexes/%s lacks metadata, settings or documents", folder)
		}
		if x.UID == task.RulesIndex {
			continue
		}
		if !apierr.ValidIndexUID(x.UID) {
			return damaged("indexes/%s: %q is no index uid", folder, x.UID)
		}
		if seen[x.UID] {
			return damaged("index %s stands in it twice", x.UID)
		}
		seen[x.UID] = true
	}
	for _, name := range sortedNames(c.aliases) {
		if !apierr.ValidIndexUID(name) || seen[name] || !seen[c.aliases[name]] {
			return damaged("the alias %q of the index %q cannot be", name, c.aliases[name])
		}
	}
	uids := map[string]bool{}
	for _, k := range c.keys {
		if uids[k.UID] {
			return damaged("key %s stands in it twice", k.UID)
		}
		uids[k.UID] = true
	}
	for uid := range c.imports {
		if !c.updateFiles[uid] {
			return damaged("the documents of the enqueued task %d are missing", uid)
		}
	}
	slices.SortFunc(c.members, func(a, b membership) int {
		if a.batch != b.batch {
			return int(int64(a.batch) - int64(b.batch))
		}
		return int(int64(a.task) - int64(b.task))
	})
	return nil
}

// indexes lists the folders that become indexes, by uid.
func (c *contents) indexes() []*indexContents {
	var list []*indexContents
	for _, x := range c.folders {
		if x.UID != task.RulesIndex {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b *indexContents) int { return strings.Compare(a.UID, b.UID) })
	return list
}

// documentsOf tells whether a file holds the documents of an index.
func (c *contents) documentsOf(name string) (*indexContents, bool) {
	folder, base := path.Split(name)
	if base != "documents.jsonl" || !strings.HasPrefix(folder, "indexes/") {
		return nil, false
	}
	x, ok := c.folders[path.Base(folder)]
	return x, ok && x.UID != task.RulesIndex && strings.Count(folder, "/") == 2
}

// importOf tells whether a file holds the documents of an unfinished import.
func (c *contents) importOf(name string) (uint32, bool) {
	folder, base := path.Split(name)
	number, ok := strings.CutSuffix(base, ".jsonl")
	if !ok || folder != "tasks/update_files/" {
		return 0, false
	}
	uid, err := strconv.ParseUint(number, 10, 32)
	_, wanted := c.imports[uint32(uid)]
	return uint32(uid), err == nil && wanted
}
