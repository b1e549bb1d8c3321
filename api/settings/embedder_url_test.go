package settings

import "testing"

// Addresses that no call can reach were accepted, or refused for another reason.
func TestFaultsOfURLs(t *testing.T) {
	for raw, fault := range map[string]string{
		"http://a.b:80/c?d#e": "", "http:a": "", `http:\\a\b`: "", "  HTTP://A/ \n": "", "ht\ntp://a": "", "http://u:p@a": "", "http://[::1]:80/": "", "http://1.2.3": "", "http://0x7f.1": "",
		"http://a.": "", "foo://": "", "foo:bar": "", "mailto:x": "", "file:///x": "", "file://c:/x": "", "file:x": "", "http://b%C3%BCcher": "", "http://a:/": "", "foo://a@": "empty host",
		"": noScheme, "nope": noScheme, "//a/b": noScheme, "1http://x": noScheme, "a b:c": noScheme, ":x": noScheme,
		"http://": emptyHost, "http:///": emptyHost, "https:": emptyHost, "http://:80/": emptyHost, "http://a@/": emptyHost, "http://u:p@:80/": emptyHost, "http://\u00ad/": emptyHost, "foo://:1": emptyHost,
		"http://a:99999/": wrongPort, "http://a:b/": wrongPort, "http://a:-1": wrongPort, "foo://a:65536": wrongPort,
		"http://a b/": wrongHost, "http://ex<am.com": wrongHost, "http://%zz/": wrongHost, "http://%80": wrongHost, "http://a%20b/": wrongHost, "file://a b/": wrongHost,
		"foo://a b": wrongOpaque, "foo://a|b": wrongOpaque,
		"http://1.2.3.4.5": wrongIPv4, "http://256.1.1.1": wrongIPv4, "http://1.2.3.256": wrongIPv4, "http://0x100000000": wrongIPv4, "http://a.9": wrongIPv4, "https://4294967296x:y": wrongPort, "http://08.1": wrongIPv4, "http://4294967296": wrongIPv4,
		"http://[::1": wrongIPv6, "http://[g]/": wrongIPv6, "http://[1.2.3.4]": wrongIPv6, "http://[::1%25a]": wrongIPv6, "foo://[": wrongIPv6,
	} {
		if got := urlFault(raw); got != fault {
			t.Errorf("%q: %q, want %q", raw, got, fault)
		}
	}
}
