package snapshot

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"shoal/cluster-test/solo"
	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/schedule"
	"shoal/wire"
)

// The snapshot fails with an instruction, the earlier one can be restored, the node keeps
// running, and the next snapshot succeeds once there is space.
func TestAFullBackupDiskLeavesEarlierSnapshotsIntact(t *testing.T) {
	a, taker, r, dir, reports := deposits(t, 2)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("needs the right to mount a file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	a.Schedule(schedule.Jobs{Snapshot: taker.Snapshot})
	fill(a)
	a.Upload("large", many(0, 1000))
	a.Idle()
	must(a.Writer.Snapshot(t.Context()))
	a.Idle()
	last(t, reports)
	before := must(r.Snapshots(t.Context()))

	a.Upload("large", many(1000, 12000))
	a.Idle()
	for range 2 { // the second try begins with the remains of the first
		must(a.Writer.Snapshot(t.Context()))
		a.Idle()
		tasks := a.Tasks()
		failed := tasks[len(tasks)-1]
		if failed.Status != wire.Failed || failed.Error.Code != "no_space_left_on_device" || !strings.Contains(failed.Error.Message, "free some space there") {
			t.Fatalf("a snapshot on a full disk: %+v %+v", failed, failed.Error)
		}
		if report := (*reports)[len(*reports)-1]; !errors.Is(report.Err, bucket.ErrFull) {
			t.Errorf("%+v", report)
		}
	}
	if after := must(r.Snapshots(t.Context())); len(after) != 1 || after[0].Name != before[0].Name {
		t.Errorf("%+v, before %+v", after, before)
	}
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
	if err := restored(b, r); err != nil {
		t.Errorf("the earlier snapshot: %v", err)
	}
	a.Upload("large", `{"id":1,"title":"another"}`)
	a.Idle()
	if tasks := a.Tasks(); tasks[len(tasks)-1].Status != wire.Succeeded {
		t.Errorf("a write after it: %+v", tasks[len(tasks)-1])
	}

	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	must(a.Writer.Snapshot(t.Context()))
	a.Idle()
	last(t, reports)
	c := solo.Open(t, 1)
	c.Schedule(schedule.Jobs{})
	if err := restored(c, r); err != nil {
		t.Fatal(err)
	}
	same(t, a, c)
}
