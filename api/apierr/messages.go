package apierr

import (
	"sort"
	"strconv"
	"strings"
	"time"
)

// IndexNotFound: no index of that name (spec write-api 5.4).
func IndexNotFound(uid string) *Error {
	return New(CodeIndexNotFound, "Index `"+uid+"` not found.")
}

// IndexesNotFound names all missing indexes of a swap, sorted.
func IndexesNotFound(uids []string) *Error {
	if len(uids) == 1 {
		return IndexNotFound(uids[0])
	}
	return New(CodeIndexNotFound, "Indexes "+sortedList(uids)+" not found.")
}

// IndexAlreadyExists: an index is created with, or renamed to, a taken name.
func IndexAlreadyExists(uid string) *Error {
	return New(CodeIndexAlreadyExists, "Index `"+uid+"` already exists.")
}

// ValidIndexUID tells whether uid may name an index: 1 to 400 bytes of letters, digits,
// hyphens and underscores. The message of the reference says 512, but the limit is 400
// (spec write-api 4).
func ValidIndexUID(uid string) bool {
	if len(uid) == 0 || len(uid) > 400 {
		return false
	}
	for i := 0; i < len(uid); i++ {
		if !isIDByte(uid[i]) {
			return false
		}
	}
	return true
}

// InvalidIndexUIDText is the text about a malformed index uid. Decoders of bodies put the
// position before it.
func InvalidIndexUIDText(uid string) string {
	return "`" + uid + "` is not a valid index uid. Index uid can be an integer or a string containing only alphanumeric characters, hyphens (-) and underscores (_), and can not be more than 512 bytes."
}

// InvalidIndexUID: the uid of the path is malformed.
func InvalidIndexUID(uid string) *Error {
	return New(CodeInvalidIndexUID, InvalidIndexUIDText(uid))
}

// InIndex names the index before an error that concerns a whole batch (spec write-api 1.5).
func InIndex(uid string, err *Error) *Error {
	return New(err.Code, "Index `"+uid+"`: "+err.Message)
}

// InternalInIndex is an internal failure of the engine on one index.
func InternalInIndex(uid, detail string) *Error {
	return New(CodeInternal, "Index `"+uid+"`: internal: "+detail+".")
}

// PayloadLost: no node has the documents of an accepted task any more.
func PayloadLost(uid string) *Error {
	return InternalInIndex(uid, "the payload of this task is lost: every node that stored it has lost its copy or has left the cluster. Send it again")
}

// BatchEndsNodes: the process that builds a batch ended each time, most likely because it
// ran out of memory.
func BatchEndsNodes(uid string, times int) *Error {
	return InternalInIndex(uid, "building this batch ended the node that did it "+strconv.Itoa(times)+
		" times, most likely for want of memory, and is not tried again. Send it in smaller parts, or give the nodes more memory")
}

// TaskTooLarge: a request without its documents does not fit into an entry of the log.
func TaskTooLarge() *Error {
	return New(CodePayloadTooLarge, "The provided payload reached the size limit. A task without its documents must fit into an entry of the cluster's log: 8 MiB, compressed.")
}

// DocumentNotFound quotes the id as the client gave it.
func DocumentNotFound(id string) *Error {
	return New(CodeDocumentNotFound, "Document `"+id+"` not found.")
}

// FeatureNotEnabled refuses a disabled experimental feature. doing starts the sentence
// ("Using the documents edit route"), feature is its public name, and discussion is the
// number of the linked page.
func FeatureNotEnabled(doing, feature string, discussion int) *Error {
	return New(CodeFeatureNotEnabled, doing+" requires enabling the `"+feature+
		"` experimental feature. See https://github.com/orgs/meilisearch/discussions/"+strconv.Itoa(discussion))
}

// TooManySearchRequests: the search queue of that capacity rejected the request.
func TooManySearchRequests(capacity int) *Error {
	return New(CodeTooManySearchRequests, "Too many search requests running at the same time: "+strconv.Itoa(capacity)+". Retry after 10s.")
}

// SearchTooLong is ours: filters, facets or sorting of a search have used up its time.
func SearchTooLong(most time.Duration) *Error {
	return New(CodeSearchTooLong, "The search was ended after "+strconv.Itoa(int(most.Seconds()))+" s. Use a smaller filter, fewer facets, or fewer conditions that look into values (`CONTAINS`, `STARTS WITH`).")
}

// AnswerTooLarge is ours: the answers of a multi-search exceed the limit together.
func AnswerTooLarge() *Error {
	return New(CodePayloadTooLarge, "The answers to the queries of this multi-search are too large together: ask for fewer hits (`limit`) or fewer attributes (`attributesToRetrieve`), or send the queries in several requests.")
}

// ForeignDocumentsTooLarge is ours: the documents in place of the foreign keys of a page exceed
// the limit.
func ForeignDocumentsTooLarge() *Error {
	return New(CodePayloadTooLarge, "The documents that the foreign keys of these hits name are too large together: ask for fewer hits (`limit`) or fewer attributes (`attributesToRetrieve`).")
}

// GroupsWithoutDistinct is ours: a search for groups without an attribute to group by.
func GroupsWithoutDistinct() *Error {
	return New(CodeInvalidSearchHitsPerGroup, "`hitsPerGroup` groups hits by the distinct attribute, and there is none: add `distinct` to the search, or set `distinctAttribute`.")
}

// GroupsNotFilterable is ours: groups are found by a filter.
func GroupsNotFilterable(attribute string) *Error {
	return New(CodeInvalidSearchHitsPerGroup, "`hitsPerGroup` filters by the distinct attribute `"+attribute+"`: add it to `filterableAttributes`.")
}

// GroupsTooMany is ours: each group of a page is a search of its own.
func GroupsTooMany(found, most uint64) *Error {
	return New(CodeInvalidSearchHitsPerGroup, "A page with `hitsPerGroup` has at most "+strconv.FormatUint(most, 10)+" hits, and this one has "+strconv.FormatUint(found, 10)+": lower `limit` or `hitsPerPage`.")
}

// GroupsOfSeveral is ours: groups are those of one index.
func GroupsOfSeveral() *Error {
	return New(CodeInvalidSearchHitsPerGroup, "Using `hitsPerGroup` is not allowed in federated queries, with `useNetwork` and while `legacySearch` is on.")
}

// PageTooLargeToRerank is ours. Every hit of a personalized page is sent to an external
// service, so the page is bounded.
func PageTooLargeToRerank(hits, bytes int) *Error {
	return New(CodePayloadTooLarge, "A personalized search may return at most "+strconv.Itoa(hits)+" hits of "+strconv.Itoa(bytes>>20)+" MiB together: ask for fewer hits (`limit`) or fewer attributes (`attributesToRetrieve`).")
}

// TooManyLargeAnswers is ours: the limit of large answers under way is reached. Each takes
// several MiB of memory.
func TooManyLargeAnswers(most int) *Error {
	return New(CodeTooManySearchRequests, "Too many answers of more than 4 MiB are being sent at the same time: "+strconv.Itoa(most)+
		". Retry after 10s, or ask for fewer hits (`limit`) or fewer attributes (`attributesToRetrieve`).")
}

// TooManyStreams is ours: the node already serves `most` streams of tasks and batches.
func TooManyStreams(most int) *Error {
	return New(CodeTooManySearchRequests, "This node sends "+strconv.Itoa(most)+" streams of tasks and batches already. Retry after 10s, or ask another node.")
}

// TooManySessions is ours: the node already holds that many sessions of language models, or
// a session that many unread answers.
func TooManySessions(sessions, unread int) *Error {
	return New(CodeTooManySearchRequests, "This node holds "+strconv.Itoa(sessions)+" sessions, or "+strconv.Itoa(unread)+" answers of this one wait for its client. Retry after 10s, or use streamable HTTP, which needs no session.")
}

// TooManySessionsOfKey is ours: an API key holds as many sessions of language models as it may.
func TooManySessionsOfKey(most int) *Error {
	return New(CodeTooManyRequests, "This API key may hold "+strconv.Itoa(most)+" sessions on a node. End one of them, or use streamable HTTP, which needs no session.")
}

// TooManyRequestsOfKey is ours: an API key sends more requests than its limit allows.
func TooManyRequestsOfKey(most uint64) *Error {
	return New(CodeTooManyRequests, "This API key may send "+strconv.FormatUint(most, 10)+" requests a second to a node. Retry after 1s.")
}

// TooManySearchesOfKey is ours: an API key searches more at once than its limit allows.
func TooManySearchesOfKey(most uint64) *Error {
	return New(CodeTooManyRequests, "This API key may have "+strconv.FormatUint(most, 10)+" searches at once on a node. Retry after 1s.")
}

// NoLeader is ours: the cluster has no leader followed by a majority, and nothing was
// acknowledged. The next leader may still accept a request that was under way when the
// leader was lost.
func NoLeader() *Error {
	return New(CodeNoLeader, "The cluster has no leader at the moment: retry later. A write that was not acknowledged may still be carried out.")
}

// KeysMayBeOld is ours: a node without contact to the leader refuses a key, but the key may
// have been created or changed since.
func KeysMayBeOld() *Error {
	return New(CodeNoLeader, "This node has lost contact with the leader. It does not accept this key, but the key may have been created or changed since: ask another node, or retry later.")
}

// Starting is ours: the asked node is not part of its cluster yet.
func Starting(why string) *Error {
	return New(CodeNoLeader, "This node does not serve yet: "+why+". Ask another node, or retry later.")
}

// ShardUnavailable is ours: no copy of a shard answers, and an answer without that shard
// would be wrong.
func ShardUnavailable() *Error {
	return New(CodeShardUnavailable, "No copy of a part of the data answers at the moment: retry later.")
}

// ShardDamaged is ours: the disk of the only node with a part of the data has lost some of
// it.
func ShardDamaged() *Error {
	return New(CodeShardUnavailable, "A part of the data is damaged on the disk of the only node that has it; requests that do not need it are answered. Restore it from a snapshot or dump, or add the documents again.")
}

// ImportRunning is ours: another node is reading in a dump or a snapshot. An answer would
// present the part that is there so far as if it were everything.
func ImportRunning() *Error {
	return New(CodeShardUnavailable, "A dump or snapshot is being read into the cluster: retry later.")
}

// StandbyOnly is ours: the cluster follows another one and accepts no writes.
func StandbyOnly() *Error {
	return New(CodeShardUnavailable, "This cluster is a standby that follows another one: it accepts no writes until it is promoted (`shoal promote`).")
}

// NoStandby is ours: the cluster is not a standby, so it cannot be promoted.
func NoStandby() *Error {
	return New(CodeBadRequest, "This cluster follows no other one: there is nothing to promote.")
}

// EmptyFilterForbidden: a deletion or edition by filter needs a filter.
func EmptyFilterForbidden() *Error {
	return New(CodeInvalidDocumentFilter, "Sending an empty filter is forbidden.")
}

// isIDByte tells whether index uids and document ids may contain the byte.
func isIDByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// sortedList renders names as "`a`, `b`" in byte order.
func sortedList(names []string) string {
	sorted := append([]string(nil), names...)
	sort.Strings(sorted)
	return QuotedList(sorted)
}

// QuotedList renders names as "`a`, `b`" in the given order.
func QuotedList(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('`')
		b.WriteString(n)
		b.WriteByte('`')
	}
	return b.String()
}

// MalformedJSON reports a syntax error of a JSON body. err is the error of jsonvalue.Parse.
func MalformedJSON(err error) *Error {
	return New(CodeMalformedPayload, "The json payload provided is malformed. `"+err.Error()+"`.")
}
