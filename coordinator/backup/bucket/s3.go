package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"shoal/wire/await"
)

// S3 configures a bucket of an S3 service.
type S3 struct {
	// URL is the service, such as https://s3.eu-central-1.amazonaws.com.
	URL string
	// Region may be empty: it is then us-east-1, or the region that the service reports.
	Region string
	Bucket string
	// Prefix comes before all names; "" for none.
	Prefix string
	// AccessKey and SecretKey may be empty: the credentials of the machine or the pod are used
	// then.
	AccessKey, SecretKey string
	// RoleARN is the role to assume with the web identity in TokenFile. Empty values come from
	// the environment of the machine or the pod.
	RoleARN, TokenFile string
	// Timeout bounds one request; 0 means a minute. Pause waits before a retry; nil means that
	// it sleeps.
	Timeout time.Duration
	Pause   func(context.Context, time.Duration) error
}

const (
	// tries bounds the attempts of one request whose fault may pass.
	tries = 6
	// firstPause doubles with each retry.
	firstPause = 250 * time.Millisecond
)

// s3 is a bucket of an S3 service.
type s3 struct {
	S3
	client *minio.Client
}

// OpenS3 returns a bucket of an S3 service. It sends nothing; an error is about the
// configuration.
func OpenS3(cfg S3) (Bucket, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("%q is not the address of an S3 service: use http://HOST:PORT or https://HOST", cfg.URL)
	}
	if err := s3utils.CheckValidBucketName(cfg.Bucket); err != nil {
		return nil, fmt.Errorf("%q is not the name of an S3 bucket: %w", cfg.Bucket, err)
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	if cfg.Pause == nil {
		cfg.Pause = await.Sleep
	}
	cfg.Prefix = strings.Trim(cfg.Prefix, "/")
	// Several requests run concurrently; idle connections serve the next ones.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	machine := &credentials.IAM{Region: cfg.Region}
	machine.EKSIdentity.RoleARN, machine.EKSIdentity.TokenFile = cfg.RoleARN, cfg.TokenFile
	who := credentials.New(machine)
	if cfg.AccessKey != "" {
		who = credentials.NewStaticV4(cfg.AccessKey, cfg.SecretKey, "")
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: who, Secure: u.Scheme == "https", Region: cfg.Region, Transport: transport, MaxRetries: 1, // again retries
	})
	if err != nil {
		return nil, fmt.Errorf("S3 service %s: %w", cfg.URL, err)
	}
	return &s3{cfg, client}, nil
}

// String implements Bucket.
func (s *s3) String() string {
	return strings.TrimRight("s3://"+s.Bucket+"/"+s.Prefix, "/") + " at " + s.URL
}

func (s *s3) key(name string) string {
	if s.Prefix == "" {
		return name
	}
	return s.Prefix + "/" + name
}

// again repeats a request until it succeeds, cannot succeed, or has used up all tries. Each try
// has its own timeout.
func (s *s3) again(ctx context.Context, op, name string, request func(context.Context) error) error {
	wait := firstPause
	for n := 1; ; n++ {
		one, cancel := context.WithTimeout(ctx, s.Timeout)
		err := request(one)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		kind := kindOf(err)
		if n == tries || !errors.Is(kind, ErrUnavailable) {
			return fault(kind, s.String(), op, name, err)
		}
		if err := s.Pause(ctx, wait); err != nil {
			return err
		}
		wait *= 2
	}
}

// kindOf classifies an error.
func kindOf(err error) error {
	if errors.Is(err, ErrTooLarge) {
		return ErrTooLarge
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return ErrUnavailable
	}
	switch answer.Code {
	case minio.NoSuchKey:
		return ErrNotFound
	case minio.NoSuchBucket, "InvalidBucketName":
		return ErrNoBucket
	case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded":
		return ErrFull
	case "RequestTimeout", "RequestTimeTooSkewed", "BadDigest", "IncompleteBody":
		return ErrUnavailable
	}
	switch {
	case answer.StatusCode == http.StatusInsufficientStorage:
		return ErrFull
	case answer.StatusCode == http.StatusNotFound:
		return ErrNotFound
	case answer.StatusCode == http.StatusTooManyRequests, answer.StatusCode == http.StatusRequestTimeout:
		return ErrUnavailable
	case answer.StatusCode >= 400 && answer.StatusCode < 500:
		return ErrDenied
	}
	return ErrUnavailable
}

// Put implements Bucket. It sends a checksum of the content, so that the service refuses
// damaged content.
func (s *s3) Put(ctx context.Context, name string, content []byte) error {
	return s.again(ctx, "write", name, func(ctx context.Context) error {
		_, err := s.client.PutObject(ctx, s.Bucket, s.key(name), bytes.NewReader(content), int64(len(content)),
			minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true, SendContentMd5: true})
		return err
	})
}

// Get implements Bucket. It requests an incomplete object again.
func (s *s3) Get(ctx context.Context, name string, limit int64) (content []byte, err error) {
	err = s.again(ctx, "read", name, func(ctx context.Context) (err error) {
		o, err := s.client.GetObject(ctx, s.Bucket, s.key(name), minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.Close()) }()
		if content, err = io.ReadAll(io.LimitReader(o, limit+1)); err != nil {
			return err
		}
		if int64(len(content)) > limit {
			return fmt.Errorf("more than %d bytes: %w", limit, ErrTooLarge)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return content, nil
}

// List implements Bucket. It reads page by page and requests a failed page again.
func (s *s3) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		after := ""
		for {
			page, more, err := s.page(ctx, prefix, after)
			if err != nil {
				yield(Object{}, err)
				return
			}
			for _, o := range page {
				after = s.key(o.Name)
				if ValidName(o.Name) && !yield(o, nil) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

// pageKeys is the number of names in one page of a listing.
const pageKeys = 1000

// page lists the keys after a key.
func (s *s3) page(ctx context.Context, prefix, after string) (page []Object, more bool, err error) {
	err = s.again(ctx, "list", prefix, func(ctx context.Context) error {
		page, more = page[:0], false
		for o := range s.client.ListObjectsIter(ctx, s.Bucket, minio.ListObjectsOptions{Prefix: s.key(prefix), Recursive: true, StartAfter: after, MaxKeys: pageKeys}) {
			if o.Err != nil {
				return o.Err
			}
			name := o.Key
			if s.Prefix != "" {
				name = strings.TrimPrefix(name, s.Prefix+"/")
			}
			if o.Key <= after {
				return fmt.Errorf("the listing after %s begins with %s: the service does not know start-after", after, o.Key)
			}
			page = append(page, Object{Name: name, Bytes: o.Size, Written: o.LastModified})
			if len(page) == pageKeys {
				more = true
				break
			}
		}
		return ctx.Err()
	})
	return page, more, err
}

// Delete implements Bucket.
func (s *s3) Delete(ctx context.Context, name string) error {
	err := s.again(ctx, "delete", name, func(ctx context.Context) error {
		return s.client.RemoveObject(ctx, s.Bucket, s.key(name), minio.RemoveObjectOptions{})
	})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
