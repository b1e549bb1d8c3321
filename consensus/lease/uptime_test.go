package lease

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// inNamespace marks the second process of the next test.
const inNamespace = "SHOAL_TEST_TIME_NAMESPACE"

// In a time namespace the two clocks differ as they do after a sleep.
func TestTheClockOfLeasesGoesOnWhileTheMachineSleeps(t *testing.T) {
	if os.Getenv(inNamespace) != "" {
		if all := Uptime(); all < 1_000_000*time.Second {
			t.Errorf("the clock of leases does not count sleep: %s", all)
		}
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a clock that counts sleep")
	}
	cmd := exec.Command("unshare", "--time", "--boottime", "1000000", os.Args[0], "-test.run=^TestTheClockOfLeases", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	if err := exec.Command("unshare", "--time", "--boottime", "1", "true").Run(); err != nil {
		t.Skipf("no time namespaces for this user: %v", err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
