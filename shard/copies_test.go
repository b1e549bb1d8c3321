package shard

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/shipment"
	"shoal/shard/store"
	"shoal/wire"
)

// sealed corrects the sums of a shipped delta, so that the data behind them is read.
func sealed(data []byte) []byte {
	out := bytes.Clone(data)
	if len(out) < 8 {
		return out
	}
	head := int(binary.LittleEndian.Uint32(out[4:8]))
	if head < 0 || len(out) < 8+head+8 {
		return out
	}
	binary.LittleEndian.PutUint64(out[8+head:], xxhash.Sum64(out[8:8+head]))
	rest := out[8+head+8:]
	if len(rest) < 8 {
		return out
	}
	if ops := binary.LittleEndian.Uint64(rest); ops <= uint64(len(rest)) && uint64(len(rest)) >= 8+ops+8 {
		binary.LittleEndian.PutUint64(rest[8+ops:], xxhash.Sum64(rest[8:8+ops]))
	}
	return out
}

// FuzzReceive has a node receive a delta or a copy. Whatever the input, the node
// continues, and a refused input leaves no file.
func FuzzReceive(f *testing.F) {
	const id = "0123456789abcdef0123456789abcdef"
	for _, head := range []store.Head{
		{}, {Format: store.DeltaFormat, ID: id, Version: 1}, {Format: store.DeltaFormat, ID: id, Version: 1, Files: []store.FileInfo{{Size: -1}, {Size: 1 << 60}}},
		{Format: store.DeltaFormat, ID: id, Version: 1, Files: []store.FileInfo{{Size: 8}}}, {Format: store.DeltaFormat, ID: "../x", Version: 1},
		{Format: store.DeltaFormat, ID: id, Version: 1, Whole: true, Key: wire.ShardKey{IndexID: 7}},
	} {
		var b bytes.Buffer
		if err := shipment.WriteHead(&b, &head); err != nil {
			f.Fatal(err)
		}
		b.Write(binary.LittleEndian.AppendUint64(nil, 12))
		b.Write(make([]byte, 20))
		f.Add(b.Bytes(), true)
		f.Add(b.Bytes(), false)
	}
	host := openHost(f, vfs.NewMem())
	f.Cleanup(func() {
		if err := host.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = sealed(data)
		}
		ref, err := host.Receive(io.Reader(bytes.NewReader(data)))
		if err == nil { // it was kept: the next one starts without it
			if err := host.Drop(ref.Key); err != nil {
				t.Fatal(err)
			}
		}
		if names, err := host.store.FS.List(host.store.Staging); err != nil || len(names) > 0 {
			t.Fatalf("left in the staging folder: %v %v", names, err)
		}
	})
}
