package main

import (
	"context"
	"encoding/json"
	"net/http"

	"shoal/cluster-test/life"
)

// statePart is how many documents one upload of a state has.
const statePart = 100

// state is a short life that leads to what the first server holds now: its switches, and of
// each index the primary key, the settings and the documents in their order. It is empty if
// the server does not tell.
func (d *duel) state(ctx context.Context) (batches [][]life.Request) {
	var indexes struct {
		Results []struct {
			UID        string          `json:"uid"`
			PrimaryKey json.RawMessage `json:"primaryKey"`
		} `json:"results"`
	}
	var features json.RawMessage
	if !d.get(ctx, "/experimental-features", &features) || !d.get(ctx, "/indexes?limit=1000", &indexes) {
		return nil
	}
	add := func(method, path string, body any) {
		raw, err := json.Marshal(body)
		if err != nil {
			panic(err) // read from JSON
		}
		batches = append(batches, []life.Request{{Method: method, Path: path, Body: json.RawMessage(raw), Write: true}})
	}
	add("PATCH", "/experimental-features", features)
	for _, x := range indexes.Results {
		path := "/indexes/" + x.UID
		var settings json.RawMessage
		var documents struct {
			Results []json.RawMessage `json:"results"`
		}
		if !d.get(ctx, path+"/settings", &settings) || !d.get(ctx, path+"/documents?retrieveVectors=true&limit=100000", &documents) {
			return nil
		}
		add("POST", "/indexes", map[string]any{"uid": x.UID, "primaryKey": x.PrimaryKey})
		add("PATCH", path+"/settings", settings)
		for from := 0; from < len(documents.Results); from += statePart {
			add("POST", path+"/documents", documents.Results[from:min(from+statePart, len(documents.Results))])
		}
	}
	return batches
}

// get reads what the first server answers, and tells whether it could.
func (d *duel) get(ctx context.Context, path string, v any) bool {
	status, body, err := d.servers[0].ask(ctx, &life.Request{Method: "GET", Path: path})
	return err == nil && status == http.StatusOK && json.Unmarshal(body, v) == nil
}
