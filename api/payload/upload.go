package payload

import "io"

// Upload is one POST or PUT of documents with its decoded query string.
type Upload struct {
	IndexUID  string
	Format    Format
	Delimiter byte // of a CSV; it may be 0
	// Update merges into stored documents (PUT). Otherwise documents are replaced.
	Update       bool
	PrimaryKey   *string
	SkipCreation bool
	// CreateIndex: the caller's key may create the index.
	CreateIndex bool
	Metadata    *string
	// Stored: an index had the documents as they are (a dump), see StoredID.
	Stored bool
	// Body is the decoded content. Its own errors (size limit, truncation) are
	// *apierr.Error and must be returned unchanged.
	Body io.Reader
}
