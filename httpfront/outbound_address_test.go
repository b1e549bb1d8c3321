package httpfront

import (
	"net/netip"
	"testing"
)

// A webhook or embedder whose name resolved to such an address reached the private network
// through the translator.
func TestAddressesThatStandForPrivateOnesAreForbidden(t *testing.T) {
	for address, ok := range map[string]bool{
		"[64:ff9b::10.0.0.1]:80": false, "[64:ff9b::127.0.0.1]:80": false, "[64:ff9b::169.254.169.254]:80": false, "[64:ff9b::100.64.0.1]:80": false,
		"[64:ff9b::8.8.8.8]:80": true, "[64:ff9b:1::10.0.0.1]:80": false, "[64:ff9b:1:a00:0:100::]:80": false,
		"[2002:0a00:0001::1]:80": false, "[2002:0808:0808::1]:80": true,
		"[2001:0:4136:e378:8000:63bf:f5ff:fffe]:80": false, // 10.0.0.1
		"[2001:0:4136:e378:8000:63bf:f7f7:f7f7]:80": true,  // 8.8.8.8
		"[::10.0.0.1]:80": false, "[::ffff:10.0.0.1]:80": false, "[::ffff:8.8.8.8]:80": true, "[2001:4860:4860::8888]:80": true,
	} {
		if err := checkAddress(address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
	allowed := []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96")}
	if err := checkAddress("[64:ff9b::10.0.0.1]:80", allowed); err != nil {
		t.Errorf("allowed by the operator: %v", err)
	}
}
