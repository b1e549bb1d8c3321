package apierr

import (
	"maps"
	"slices"
)

// The types of errors that clients see.
const (
	typeInvalidRequest = "invalid_request"
	typeInternal       = "internal"
	typeAuth           = "auth"
	typeSystem         = "system"
)

// codesByName is the complete table of codes. The declarations of this file and of
// codes_request.go, and Declare, fill it while packages initialise. Afterwards it is
// read-only.
var codesByName = map[string]Code{}

// code declares one row of the table.
func code(name, kind string, status int) Code {
	if _, taken := codesByName[name]; taken {
		panic("api: code declared twice: " + name)
	}
	c := Code{Name: name, Type: kind, Status: status}
	codesByName[name] = c
	return c
}

// Declare adds a code for invalid values to the table, for packages whose rows have codes
// of their own. It must be called while packages initialise. It panics if the name is
// taken.
func Declare(name string) Code { return code(name, typeInvalidRequest, 400) }

// CodeByName finds a code by its public name. For an unknown name it returns CodeInternal
// and false.
func CodeByName(name string) (Code, bool) {
	if c, ok := codesByName[name]; ok {
		return c, true
	}
	return CodeInternal, false
}

// CodeNames lists the names of all codes, sorted.
func CodeNames() []string { return slices.Sorted(maps.Keys(codesByName)) }

// CodeNoLeader is ours: a write or a consistent read found no leader followed by a majority
// of voters.
var CodeNoLeader = code("no_leader", typeSystem, 503)

// CodeShardUnavailable is ours: no copy of a part of the data answers.
var CodeShardUnavailable = code("shard_unavailable", typeSystem, 503)

// CodeTooManyRequests is ours: a key sends more than its limits allow.
var CodeTooManyRequests = code("too_many_requests", typeSystem, 429)

// CodeSearchTooLong is ours: a search has used up its time.
var CodeSearchTooLong = code("search_too_long", typeInvalidRequest, 400)

// The codes of the reference by status and type; those with status 400 and type
// invalid_request are in codes_request.go.
var (
	// Status 400, type internal.
	CodeInvalidS3SnapshotParameters = code("invalid_s_3_snapshot_parameters", typeInternal, 400)
	CodeInvalidS3SnapshotRequest    = code("invalid_s_3_snapshot_request", typeInternal, 400)
	CodeUnretrievableDocument       = code("unretrievable_document", typeInternal, 400)

	// Status 401, type auth.
	CodeMissingAuthorizationHeader = code("missing_authorization_header", typeAuth, 401)
	CodeMissingMasterKey           = code("missing_master_key", typeAuth, 401)

	// Status 403, type auth.
	CodeInvalidAPIKey       = code("invalid_api_key", typeAuth, 403)
	CodeRemoteInvalidAPIKey = code("remote_invalid_api_key", typeAuth, 403)

	// Status 404, type invalid_request.
	CodeAliasNotFound             = code("alias_not_found", typeInvalidRequest, 404)
	CodeAPIKeyNotFound            = code("api_key_not_found", typeInvalidRequest, 404)
	CodeBatchNotFound             = code("batch_not_found", typeInvalidRequest, 404)
	CodeChatNotFound              = code("chat_not_found", typeInvalidRequest, 404)
	CodeDocumentNotFound          = code("document_not_found", typeInvalidRequest, 404)
	CodeDumpNotFound              = code("dump_not_found", typeInvalidRequest, 404)
	CodeDynamicSearchRuleNotFound = code("dynamic_search_rule_not_found", typeInvalidRequest, 404)
	CodeIndexNotFound             = code("index_not_found", typeInvalidRequest, 404)
	CodeRenderDocumentNotFound    = code("render_document_not_found", typeInvalidRequest, 404)
	CodeTaskFileNotFound          = code("task_file_not_found", typeInvalidRequest, 404)
	CodeTaskNotFound              = code("task_not_found", typeInvalidRequest, 404)
	CodeWebhookNotFound           = code("webhook_not_found", typeInvalidRequest, 404)

	// Status 409, type invalid_request.
	CodeAliasPointsElsewhere  = code("alias_points_elsewhere", typeInvalidRequest, 409)
	CodeAPIKeyAlreadyExists   = code("api_key_already_exists", typeInvalidRequest, 409)
	CodeDumpAlreadyProcessing = code("dump_already_processing", typeInvalidRequest, 409)
	CodeIndexAlreadyExists    = code("index_already_exists", typeInvalidRequest, 409)
	CodeTooManyAliases        = code("too_many_aliases", typeInvalidRequest, 409)

	// Status 412, type invalid_request.
	CodeImportTaskAlreadyReceived          = code("import_task_already_received", typeInvalidRequest, 412)
	CodeImportTaskUnknownRemote            = code("import_task_unknown_remote", typeInvalidRequest, 412)
	CodeNetworkVersionMismatch             = code("network_version_mismatch", typeInvalidRequest, 412)
	CodeReceiveImportFinishedUnknownRemote = code("receive_import_finished_unknown_remote", typeInvalidRequest, 412)

	// Status 413, type invalid_request.
	CodePayloadTooLarge = code("payload_too_large", typeInvalidRequest, 413)

	// Status 415, type invalid_request.
	CodeInvalidContentType   = code("invalid_content_type", typeInvalidRequest, 415)
	CodeMissingContentType   = code("missing_content_type", typeInvalidRequest, 415)
	CodeUnsupportedMediaType = code("unsupported_media_type", typeInvalidRequest, 415)

	// Status 422, type system.
	CodeIoError             = code("io_error", typeSystem, 422)
	CodeNoSpaceLeftOnDevice = code("no_space_left_on_device", typeSystem, 422)
	CodeTooManyOpenFiles    = code("too_many_open_files", typeSystem, 422)

	// Status 451, type invalid_request.
	CodeRequiresEnterpriseEdition = code("requires_enterprise_edition", typeInvalidRequest, 451)

	// Status 500, type internal.
	CodeDatabaseSizeLimitReached = code("database_size_limit_reached", typeInternal, 500)
	CodeDumpProcessFailed        = code("dump_process_failed", typeInternal, 500)
	CodeIndexCreationFailed      = code("index_creation_failed", typeInternal, 500)
	CodeInternal                 = code("internal", typeInternal, 500)
	CodeInvalidState             = code("invalid_state", typeInternal, 500)
	CodeInvalidStoreFile         = code("invalid_store_file", typeInternal, 500)

	// Status 501, type invalid_request.
	CodeUnimplementedExternalFunctionCalling     = code("unimplemented_external_function_calling", typeInvalidRequest, 501)
	CodeUnimplementedMultiChoiceChatCompletions  = code("unimplemented_multi_choice_chat_completions", typeInvalidRequest, 501)
	CodeUnimplementedNonStreamingChatCompletions = code("unimplemented_non_streaming_chat_completions", typeInvalidRequest, 501)

	// Status 502, type internal.
	CodeS3SnapshotServerError = code("s_3_snapshot_server_error", typeInternal, 502)

	// Status 502, type system.
	CodeRemoteBadResponse         = code("remote_bad_response", typeSystem, 502)
	CodeRemoteCouldNotSendRequest = code("remote_could_not_send_request", typeSystem, 502)
	CodeRemoteRemoteError         = code("remote_remote_error", typeSystem, 502)
	CodeRemoteTimeout             = code("remote_timeout", typeSystem, 502)

	// Status 503, type invalid_request.
	CodeImportTaskWithoutNetworkTask = code("import_task_without_network_task", typeInvalidRequest, 503)

	// Status 503, type system.
	CodeTooManySearchRequests = code("too_many_search_requests", typeSystem, 503)
)
