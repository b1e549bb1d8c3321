package repository

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// ErrDamaged: an object in the bucket is damaged or incomplete.
var ErrDamaged = errors.New("damaged snapshot")

func damaged(format string, a ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, a...))
}

// format rises when older programs cannot read the new form.
const format = 1

// FolderChunks is the folder of the chunks. Every folder with backups has it.
const FolderChunks = "chunks/"

const (
	folderSnapshots = "snapshots/"
	folderDropped   = "dropped/"
	// maxManifest bounds a stored manifest, maxManifestText an unpacked one, in bytes.
	maxManifest, maxManifestText = 256 << 20, 1 << 30
	nameTime                     = "20060102T150405.000Z"
)

// Hash identifies a chunk: the SHA-256 of its bytes.
type Hash [sha256.Size]byte

// String is the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(h) {
		return damaged("%q is no hash", text)
	}
	if _, err := hex.Decode(h[:], text); err != nil {
		return damaged("%w", err)
	}
	return nil
}

// object returns the name of a chunk's object.
func (h Hash) object() string {
	text := h.String()
	return FolderChunks + text[:2] + "/" + text
}

// hashOf parses the name of a chunk's object; false for other names.
func hashOf(name string) (h Hash, ok bool) {
	i := strings.LastIndexByte(name, '/')
	ok = h.UnmarshalText([]byte(name[i+1:])) == nil && h.object() == name
	return h, ok
}

// Manifest lists the contents of a snapshot.
type Manifest struct {
	Format  int       `json:"format"`
	Cluster string    `json:"cluster"`
	Taken   time.Time `json:"taken"`
	// Streams are in the order in which they were written.
	Streams []Stream `json:"streams"`
	// Bytes is the size of all streams, Sent that of the objects that this snapshot added to
	// the bucket.
	Bytes int64 `json:"bytes"`
	Sent  int64 `json:"sent"`
}

// Stream is one stream of a snapshot.
type Stream struct {
	Name string `json:"name"`
	// Tag identifies the source of the stream: two streams of one cluster with the same name
	// and tag have the same content. "" if unknown.
	Tag    string `json:"tag,omitempty"`
	Bytes  int64  `json:"bytes"`
	Chunks []Hash `json:"chunks"`
}

// Entry describes a snapshot by its name.
type Entry struct {
	Name    string
	Cluster string
	Taken   time.Time
}

// nameOf returns the name of a snapshot. Names sort by time.
func nameOf(cluster string, taken time.Time) string {
	return taken.UTC().Format(nameTime) + "-" + cluster
}

func parseName(name string) (Entry, bool) {
	at, cluster, ok := strings.Cut(name, "-")
	taken, err := time.Parse(nameTime, at)
	return Entry{Name: name, Cluster: cluster, Taken: taken}, ok && err == nil
}

// encode packs a manifest, with a checksum.
func (m *Manifest) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return z.EncodeAll(text, nil), z.Close()
}

func decodeManifest(content []byte) (*Manifest, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxManifestText))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	text, err := z.DecodeAll(content, nil)
	if err != nil {
		return nil, damaged("%w", err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, damaged("%w", err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("the snapshot has format %d, this version reads %d", m.Format, format)
	}
	return m, nil
}
