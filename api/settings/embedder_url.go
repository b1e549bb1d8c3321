package settings

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Faults of urls. The URL standard of the web decides, not RFC 3986: it ignores surplus slashes, for
// example.
const (
	noScheme    = "relative URL without a base"
	emptyHost   = "empty host"
	wrongPort   = "invalid port number"
	wrongHost   = "invalid international domain name"
	wrongOpaque = "invalid domain character"
	wrongIPv4   = "invalid IPv4 address"
	wrongIPv6   = "invalid IPv6 address"
)

// urlFault is the reason why an embedder's url is refused, or "". It takes time in proportion to the
// url. The library for that standard took 35 seconds for a host of 240,000 bytes.
func urlFault(raw string) string {
	text := strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok || !isScheme(scheme) {
		return noScheme
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "ftp":
		return authorityFault(strings.TrimLeft(rest, `/\`), `/?#\`, webHostFault, true)
	case "file":
		return fileFault(rest)
	}
	if rest, ok = strings.CutPrefix(rest, "//"); ok {
		return authorityFault(rest, "/?#", opaqueHostFault, false)
	}
	return ""
}

func isScheme(text string) bool {
	if text == "" || !isLetter(text[0]) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r > 'z' || !isLetter(byte(r)) && (r < '0' || r > '9') && !strings.ContainsRune("+-.", r)
	})
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// authorityFault checks user, host and port at the start of text, which end at one of ends. A needed
// host must not be empty.
func authorityFault(text, ends string, hostFault func(string) string, needed bool) string {
	authority := text
	if i := strings.IndexAny(text, ends); i >= 0 {
		authority = text[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	if at == 0 && len(authority) == 1 && len(text) > 1 {
		return emptyHost
	}
	place := authority[at+1:]
	host := place[:hostEnd(place)]
	if host == "" && (needed || place != "") {
		return emptyHost
	}
	if fault := hostFault(host); fault != "" {
		return fault
	}
	port, _, _ := strings.Cut(strings.TrimPrefix(place[len(host):], ":"), `\`)
	if n, err := strconv.ParseUint(port, 10, 64); port != "" && (err != nil || n > 65535) {
		return wrongPort
	}
	if host == "" && at > 0 {
		return emptyHost
	}
	return ""
}

// hostEnd is where the host ends before a port. An IPv6 address in brackets has colons.
func hostEnd(place string) int {
	bracket := false
	for i := range len(place) {
		switch c := place[i]; {
		case c == ':' && !bracket:
			return i
		case c == '[' || c == ']':
			bracket = c == '['
		}
	}
	return len(place)
}

// fileFault checks a file URL, which may have a host, but no user and port.
func fileFault(rest string) string {
	if len(rest) < 2 || strings.Trim(rest[:2], `/\`) != "" {
		return ""
	}
	host := rest[2:]
	if i := strings.IndexAny(host, `/\?#`); i >= 0 {
		host = host[:i]
	}
	drive := len(host) == 2 && isLetter(host[0]) && (host[1] == ':' || host[1] == '|')
	if host == "" || drive {
		return ""
	}
	return webHostFault(host)
}

// webHostFault checks the host of a scheme of the web: a domain or an address.
func webHostFault(host string) string {
	if strings.HasPrefix(host, "[") {
		return ipv6Fault(host)
	}
	host, err := url.PathUnescape(host)
	if err != nil || !utf8.ValidString(host) || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`%#/:<>?@[\]^|`, r) }) {
		return wrongHost
	}
	if host = strings.ReplaceAll(host, "\u00ad", ""); host == "" { // soft hyphens do not count
		return emptyHost
	}
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if last := parts[len(parts)-1]; isNumber(last) {
		return ipv4Fault(parts)
	}
	return ""
}

// opaqueHostFault checks the host of any other scheme.
func opaqueHostFault(host string) string {
	switch {
	case strings.HasPrefix(host, "["):
		return ipv6Fault(host)
	case strings.ContainsAny(host, "\x00 #/:<>?@[\\]^|"):
		return wrongOpaque
	}
	return ""
}

func ipv6Fault(host string) string {
	inner, ok := strings.CutSuffix(host[1:], "]")
	if a, err := netip.ParseAddr(inner); !ok || err != nil || !a.Is6() || a.Zone() != "" {
		return wrongIPv6
	}
	return ""
}

// isNumber tells whether a part of a host is a number of any size, so that the host is an address.
func isNumber(text string) bool {
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// parseIPv4Part reads a part of an IPv4 address: decimal, octal (0...) or hexadecimal (0x...).
func parseIPv4Part(text string) (uint64, error) {
	base := 10
	switch lower := strings.ToLower(text); {
	case strings.HasPrefix(lower, "0x"):
		text, base = text[2:], 16
	case len(text) > 1 && text[0] == '0':
		text, base = text[1:], 8
	}
	if text == "" && base == 16 {
		return 0, nil
	}
	return strconv.ParseUint(text, base, 32)
}

// ipv4Fault checks the parts of an address. The last one fills what the others leave.
func ipv4Fault(parts []string) string {
	if len(parts) > 4 {
		return wrongIPv4
	}
	for i, part := range parts {
		most := uint64(255)
		if i == len(parts)-1 {
			most = 1<<(8*(4-i)) - 1
		}
		if n, err := parseIPv4Part(part); err != nil || n > most {
			return wrongIPv4
		}
	}
	return ""
}
