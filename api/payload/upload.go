package payload

import "io"

// Upload is one POST or PUT of documents, its query already decoded.
type Upload struct {
	IndexUID  string
	Format    Format
	Delimiter byte // CSV; 0 = comma
	// Update merges into stored documents (PUT), otherwise they are replaced.
	Update       bool
	PrimaryKey   *string
	SkipCreation bool
	// CreateIndex: the key may create the index.
	CreateIndex bool
	Metadata    *string
	// Body is the decoded content. Its own errors (size limit, truncation) are
	// *apierr.Error and must be returned as they are.
	Body io.Reader
}
