//go:build tools

// Package s3 pins the S3 server that tests of backups run against: a module of its
// own, so that its libraries stay out of ours.
package s3

import _ "github.com/versity/versitygw/cmd/versitygw"
