package main

import (
	"context"
	"flag"
	clustertest "shoal/cluster-test"
	"strings"
	"time"
)

// options say what is measured.
type options struct {
	binary, dir, shared string
	against, profiles   string
	dataset             string
	files               []string
	documents           int
	turn                time.Duration
	turns, batch        int
	share               float64
	clients             int
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to measure")
	flag.StringVar(&o.against, "against", "", "an older program: each shape is measured with both, in turns")
	flag.StringVar(&o.profiles, "profiles", "", "folder for CPU profiles of all nodes, a turn of each cluster and file of searches")
	flag.StringVar(&o.dir, "dir", "", "folder for the data (default: a temporary one, removed)")
	flag.StringVar(&o.shared, "shared", "../shared", "folder with datasets/ and bench/")
	flag.StringVar(&o.dataset, "dataset", "debian", "dataset to index: NAME.ndjson.gz, its settings and searches")
	flag.IntVar(&o.documents, "documents", 0, "only so many documents; 0 is all")
	flag.IntVar(&o.batch, "batch", 50, "how many searches a cluster answers until it is another one's turn, when costs are measured: the same for all")
	flag.DurationVar(&o.turn, "turn", 2*time.Second, "how long a cluster answers when throughput is measured, or profiles are taken")
	flag.IntVar(&o.turns, "turns", 20, "how many turns each cluster has, for each file of searches")
	flag.Float64Var(&o.share, "share", 0.2, "cores that each node may use when throughput is measured; 0 leaves that out")
	flag.IntVar(&o.clients, "clients", 4, "clients that ask each node at the same time")
	shapes := flag.String("shapes", "1x1,1x4,3x1,3x3,6x6", "clusters to measure: NODESxSHARDS, with /COPIES other than two, or than one on each node when there is one shard")
	files := flag.String("searches", "typing,mixed", "files of searches of the dataset")
	patience := flag.Duration("patience", time.Hour, "give up after this long")
	flag.Parse()
	o.files = strings.Split(*files, ",")
	clustertest.Main(*patience, func(ctx context.Context) error { return run(ctx, &o, *shapes) })
}

func run(ctx context.Context, o *options, shapes string) error {
	remove, err := clustertest.Prepare("scale", &o.dir, &o.binary, &o.against, &o.profiles)
	if err != nil {
		return err
	}
	defer remove()
	work, err := o.workload()
	if err != nil {
		return err
	}
	all, err := start(ctx, o, work, shapes)
	defer func() {
		for _, t := range all {
			t.close()
		}
	}()
	if err != nil {
		return err
	}
	if err := same(ctx, all, work); err != nil {
		return err
	}
	if err := costs(ctx, o, all, work); err != nil {
		return err
	}
	if o.profiles != "" {
		if err := profiles(ctx, o, all, work); err != nil {
			return err
		}
	}
	if o.share == 0 {
		return nil
	}
	return throughputs(ctx, o, all, work)
}
