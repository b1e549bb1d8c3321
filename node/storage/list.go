package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"shoal/coordinator/backup/repository"
)

// Snapshots is the command that inspects a place of backups, without a cluster.
type Snapshots struct {
	Options
	Verify string `placeholder:"NAME" help:"Read every byte of this snapshot (newest: the last one) and say whether it is whole."`
}

// Run prints the snapshots, or the result of verifying one.
func (s *Snapshots) Run(ctx context.Context, out io.Writer) error {
	r, err := s.Repository()
	if err != nil {
		return err
	}
	if r == nil {
		return errors.New("name the place of backups: --s3-bucket-url with --s3-bucket-name, or --backup-dir")
	}
	if s.Verify != "" {
		return s.verify(ctx, r, out)
	}
	list, err := r.Snapshots(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintf(out, "No snapshot is in %s.\n", r)
		return nil
	}
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tTAKEN\tSIZE\tSENT\tSHARDS")
	for _, e := range list {
		m, err := r.Read(ctx, e.Name)
		if err != nil {
			fmt.Fprintf(w, "%s\t%s\t%v\n", e.Name, e.Taken.Format(time.DateTime), err)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", e.Name, m.Taken.Format(time.DateTime), humanize.IBytes(uint64(m.Bytes)), humanize.IBytes(uint64(m.Sent)), shards(m))
	}
	return w.Flush()
}

// shards counts the shards of a snapshot.
func shards(m *repository.Manifest) (n int) {
	for _, s := range m.Streams {
		if s.Tag != "" {
			n++
		}
	}
	return n
}

func (s *Snapshots) verify(ctx context.Context, r *repository.Repository, out io.Writer) error {
	name := s.Verify
	if name == "newest" {
		e, err := r.Newest(ctx, nil)
		if err != nil {
			return err
		}
		name = e.Name
	}
	m, err := r.Read(ctx, name)
	if err != nil {
		return err
	}
	if err := r.Verify(ctx, m); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is whole: %d shards, %s.\n", name, shards(m), humanize.IBytes(uint64(m.Bytes)))
	return nil
}
