package storage

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/repository"
)

// Options name the place of backups. Commands embed them.
type Options struct {
	S3URL       string `name:"s3-bucket-url" group:"Backup" placeholder:"URL" help:"Address of an S3 service: snapshots go to a bucket there, each sends only what has changed."`
	S3Region    string `name:"s3-bucket-region" group:"Backup" placeholder:"REGION" help:"Region of the bucket."`
	S3Bucket    string `name:"s3-bucket-name" group:"Backup" placeholder:"NAME" help:"Name of the bucket."`
	S3Prefix    string `name:"s3-snapshot-prefix" group:"Backup" placeholder:"PREFIX" help:"What the names of all objects begin with."`
	S3AccessKey string `name:"s3-access-key" group:"Backup" placeholder:"KEY" help:"Access key; without one the role of the machine or the pod is used."`
	S3SecretKey string `name:"s3-secret-key" group:"Backup" placeholder:"KEY" help:"Its secret key. Better in a file or in SHOAL_S3_SECRET_KEY, where other users do not see it."`
	S3RoleARN   string `name:"experimental-s3-role-arn" group:"Backup" placeholder:"ARN" help:"Role that is taken with the token of --experimental-s3-web-identity-token-file."`
	S3TokenFile string `name:"experimental-s3-web-identity-token-file" group:"Backup" placeholder:"FILE" help:"File with the token of a web identity, read again before it ends; in place of the two keys."`
	S3SecretIn  string `name:"s3-secret-key-file" group:"Backup" placeholder:"FILE" help:"File with the secret key in its first line."`
	BackupDir   string `name:"backup-dir" group:"Backup" placeholder:"DIR" help:"Folder for snapshots in place of a bucket, each writes only what has changed: one that all nodes see, on another machine's disk."`
}

// scheme begins the name of a snapshot in a bucket.
const scheme = "s3://"

// Bucket opens the place that the options name, nil if they name none.
func (o *Options) Bucket() (bucket.Bucket, error) {
	switch {
	case o.BackupDir != "" && o.S3Bucket != "":
		return nil, errors.New("--backup-dir and --s3-bucket-name exclude each other")
	case o.BackupDir != "":
		return bucket.OpenFolder(o.BackupDir)
	case o.S3Bucket != "":
		return o.s3(o.S3Bucket, o.S3Prefix)
	}
	return nil, nil
}

// Repository opens the repository there, nil without a place.
func (o *Options) Repository() (*repository.Repository, error) {
	b, err := o.Bucket()
	if b == nil || err != nil {
		return nil, err
	}
	return repository.Open(b), nil
}

// s3 opens a bucket of the service.
func (o *Options) s3(name, prefix string) (bucket.Bucket, error) {
	if o.S3URL == "" {
		return nil, errors.New("--s3-bucket-url is missing: the address of the S3 service, such as https://s3.eu-central-1.amazonaws.com")
	}
	secret := o.S3SecretKey
	if o.S3SecretIn != "" {
		if secret != "" {
			return nil, errors.New("--s3-secret-key and --s3-secret-key-file exclude each other")
		}
		text, err := os.ReadFile(o.S3SecretIn)
		if err != nil {
			return nil, fmt.Errorf("--s3-secret-key-file: %w", err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		secret = strings.TrimSpace(line)
	}
	if (o.S3AccessKey == "") != (secret == "") {
		return nil, errors.New("--s3-access-key and --s3-secret-key go together")
	}
	if (o.S3RoleARN == "") != (o.S3TokenFile == "") {
		return nil, errors.New("--experimental-s3-role-arn and --experimental-s3-web-identity-token-file go together")
	}
	if o.S3RoleARN != "" && secret != "" {
		return nil, errors.New("--s3-access-key and --experimental-s3-role-arn exclude each other")
	}
	b, err := bucket.OpenS3(bucket.S3{URL: o.S3URL, Region: o.S3Region, Bucket: name, Prefix: prefix, AccessKey: o.S3AccessKey, SecretKey: secret, RoleARN: o.S3RoleARN, TokenFile: o.S3TokenFile})
	if err != nil {
		return nil, fmt.Errorf("--s3-bucket-url: %w", err)
	}
	return b, nil
}

// named opens the repository that a text names, s3://BUCKET/PREFIX or a folder, and returns
// the rest of the text: the name of a snapshot there, or "" for the newest. ok is false for
// a plain file.
func (o *Options) named(text string) (r *repository.Repository, name string, ok bool, err error) {
	where, name := text, ""
	if i := strings.LastIndex(text, "/snapshots/"); i >= 0 {
		where, name = text[:i], text[i+len("/snapshots/"):]
	}
	if !strings.HasPrefix(text, scheme) {
		if name != "" && !holdsBackups(where) {
			where, name = text, ""
		}
		if !isFolder(where) {
			return nil, "", false, nil
		}
		b, err := bucket.OpenFolder(where)
		if err != nil {
			return nil, "", true, err
		}
		return repository.Open(b), name, true, nil
	}
	u, err := url.Parse(where)
	if err != nil || u.Host == "" {
		return nil, "", true, fmt.Errorf("%q is not s3://BUCKET/PREFIX", text)
	}
	b, err := o.s3(u.Host, strings.Trim(u.Path, "/"))
	if err != nil {
		return nil, "", true, err
	}
	return repository.Open(b), name, true, nil
}

// Place opens the repository that a text names: s3://BUCKET/PREFIX or a folder, which need
// not exist yet.
func (o *Options) Place(text string) (*repository.Repository, error) {
	if strings.HasPrefix(text, scheme) {
		r, name, _, err := o.named(text)
		if err == nil && name != "" {
			err = fmt.Errorf("%q names a certain snapshot: leave /snapshots/ and what follows out", text)
		}
		return r, err
	}
	b, err := bucket.OpenFolder(text)
	if err != nil {
		return nil, err
	}
	return repository.Open(b), nil
}

// holdsBackups tells whether a folder contains backups. It does not suffice that the folder
// exists: POST /snapshots may have written a file into a folder called snapshots.
func holdsBackups(path string) bool { return isFolder(filepath.Join(path, repository.FolderChunks)) }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
