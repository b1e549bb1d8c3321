package apierr

import "strconv"

// Limits of webhooks (spec tasks-auth-ops-api 10.11).
const (
	MaxWebhooks       = 20
	MaxWebhookHeaders = 200
)

// WebhookNotFound: no webhook has that uuid.
func WebhookNotFound(uuid string) *Error {
	return New(CodeWebhookNotFound, "Webhook `"+uuid+"` not found.")
}

// ImmutableWebhook: the webhook of the command line cannot be changed.
func ImmutableWebhook(uuid string) *Error {
	return New(CodeImmutableWebhook, "Webhook `"+uuid+"` is immutable. The webhook defined from the command line cannot be modified using the API.")
}

// TooManyWebhooks: the limit is MaxWebhooks.
func TooManyWebhooks() *Error {
	return New(CodeInvalidWebhooks, "Defining too many webhooks would crush the server. Please limit the number of webhooks to "+
		strconv.Itoa(MaxWebhooks)+". You may use a third-party proxy server to dispatch events to more than "+strconv.Itoa(MaxWebhooks)+" endpoints.")
}

// TooManyWebhookHeaders: the limit is MaxWebhookHeaders.
func TooManyWebhookHeaders(uuid string) *Error {
	return New(CodeInvalidWebhookHeaders, "Too many headers for the webhook `"+uuid+"`. Please limit the number of headers to "+
		strconv.Itoa(MaxWebhookHeaders)+". Hint: To remove an already defined header set its value to `null`")
}

// APIKeyAlreadyExists: a key with that uid exists.
func APIKeyAlreadyExists(uid string) *Error {
	return New(CodeAPIKeyAlreadyExists, "`uid` field value `"+uid+"` is already an existing API key.")
}

// RemoteNotRegistered: a query names a remote that the network lacks.
func RemoteNotRegistered(remote string) *Error {
	return New(CodeInvalidMultiSearchRemote, "Invalid `.federation_options.remote`: remote `"+remote+"` is not registered")
}

// InsideQuery names the query of a multi-search before its error. There an unknown index is
// a bad request, not a 404 (spec search-api 5.2).
func InsideQuery(position uint64, err *Error) *Error {
	return New(badRequestWithin(err.Code), "Inside `.queries["+strconv.FormatUint(position, 10)+"]`: "+err.Message)
}

// InsideFacets names the entry of federation.facetsByIndex before its error. An entry whose
// index no query uses gets a note (spec search-api 5.7).
func InsideFacets(uid string, used bool, err *Error) *Error {
	message := "Inside `.federation.facetsByIndex." + uid + "`: " + err.Message
	if !used {
		message += "\n - Note: index `" + uid + "` is not used in queries"
	}
	return New(badRequestWithin(err.Code), message)
}

func badRequestWithin(code Code) Code {
	if code.Name == CodeIndexNotFound.Name {
		code.Status = 400
	}
	return code
}

// BackupRefused: the storage of backups does not exist or refuses the request.
func BackupRefused(reason error) *Error {
	return New(CodeInvalidS3SnapshotRequest, "The storage of backups refuses the snapshot: "+reason.Error()+". Check its name and the rights of its keys.")
}

// BackupUnavailable: the storage of backups did not answer, even after retries.
func BackupUnavailable(reason error) *Error {
	return New(CodeS3SnapshotServerError, "The storage of backups does not answer: "+reason.Error()+". No snapshot was taken; try again later.")
}

// BackupFull: the storage of backups has no space left.
func BackupFull(reason error) *Error {
	return New(CodeNoSpaceLeftOnDevice, "The storage of backups is full: "+reason.Error()+". No snapshot was taken; the ones before are whole. To take more, free some space there, or keep fewer of them (--backup-keep-last, --backup-keep-days).")
}
