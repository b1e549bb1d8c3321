package apierr

// The codes of refused requests (spec write-api 3), in groups by noun.

// Status 400, type invalid_request.
var (
	CodeMissingAPIKeyActions           = code("missing_api_key_actions", typeInvalidRequest, 400)
	CodeMissingAPIKeyExpiresAt         = code("missing_api_key_expires_at", typeInvalidRequest, 400)
	CodeMissingAPIKeyIndexes           = code("missing_api_key_indexes", typeInvalidRequest, 400)
	CodeMissingDocumentEditionFunction = code("missing_document_edition_function", typeInvalidRequest, 400)
	CodeMissingDocumentFilter          = code("missing_document_filter", typeInvalidRequest, 400)
	CodeMissingDocumentID              = code("missing_document_id", typeInvalidRequest, 400)
	CodeMissingFacetSearchFacetName    = code("missing_facet_search_facet_name", typeInvalidRequest, 400)
	CodeMissingIndexUID                = code("missing_index_uid", typeInvalidRequest, 400)
	CodeMissingNetworkURL              = code("missing_network_url", typeInvalidRequest, 400)
	CodeMissingPayload                 = code("missing_payload", typeInvalidRequest, 400)
	CodeMissingSearchHybrid            = code("missing_search_hybrid", typeInvalidRequest, 400)
	CodeMissingSwapIndexes             = code("missing_swap_indexes", typeInvalidRequest, 400)
	CodeMissingTaskFilters             = code("missing_task_filters", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeImmutableAPIKeyActions     = code("immutable_api_key_actions", typeInvalidRequest, 400)
	CodeImmutableAPIKeyCreatedAt   = code("immutable_api_key_created_at", typeInvalidRequest, 400)
	CodeImmutableAPIKeyExpiresAt   = code("immutable_api_key_expires_at", typeInvalidRequest, 400)
	CodeImmutableAPIKeyIndexes     = code("immutable_api_key_indexes", typeInvalidRequest, 400)
	CodeImmutableAPIKeyKey         = code("immutable_api_key_key", typeInvalidRequest, 400)
	CodeImmutableAPIKeyUID         = code("immutable_api_key_uid", typeInvalidRequest, 400)
	CodeImmutableAPIKeyUpdatedAt   = code("immutable_api_key_updated_at", typeInvalidRequest, 400)
	CodeImmutableIndexCreatedAt    = code("immutable_index_created_at", typeInvalidRequest, 400)
	CodeImmutableIndexUpdatedAt    = code("immutable_index_updated_at", typeInvalidRequest, 400)
	CodeImmutableWebhook           = code("immutable_webhook", typeInvalidRequest, 400)
	CodeImmutableWebhookIsEditable = code("immutable_webhook_is_editable", typeInvalidRequest, 400)
	CodeImmutableWebhookUUID       = code("immutable_webhook_uuid", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidIndexCustomMetadata                = code("invalid_index_custom_metadata", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilter                  = code("invalid_index_fields_filter", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilterAttributePatterns = code("invalid_index_fields_filter_attribute_patterns", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilterDisplayed         = code("invalid_index_fields_filter_displayed", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilterDistinct          = code("invalid_index_fields_filter_distinct", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilterFilterable        = code("invalid_index_fields_filter_filterable", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilterRankingRule       = code("invalid_index_fields_filter_ranking_rule", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilterSearchable        = code("invalid_index_fields_filter_searchable", typeInvalidRequest, 400)
	CodeInvalidIndexFieldsFilterSortable          = code("invalid_index_fields_filter_sortable", typeInvalidRequest, 400)
	CodeInvalidIndexLimit                         = code("invalid_index_limit", typeInvalidRequest, 400)
	CodeInvalidIndexOffset                        = code("invalid_index_offset", typeInvalidRequest, 400)
	CodeInvalidIndexPrimaryKey                    = code("invalid_index_primary_key", typeInvalidRequest, 400)
	CodeInvalidIndexUID                           = code("invalid_index_uid", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidSwapDuplicateIndexFound = code("invalid_swap_duplicate_index_found", typeInvalidRequest, 400)
	CodeInvalidSwapIndexes             = code("invalid_swap_indexes", typeInvalidRequest, 400)
	CodeInvalidSwapRename              = code("invalid_swap_rename", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidStatsShowInternalDatabaseSizes = code("invalid_stats_show_internal_database_sizes", typeInvalidRequest, 400)
	CodeInvalidStatsSizeFormat                = code("invalid_stats_size_format", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidDocumentCSVDelimiter          = code("invalid_document_csv_delimiter", typeInvalidRequest, 400)
	CodeInvalidDocumentEditionContext        = code("invalid_document_edition_context", typeInvalidRequest, 400)
	CodeInvalidDocumentEditionFunctionFilter = code("invalid_document_edition_function_filter", typeInvalidRequest, 400)
	CodeInvalidDocumentFields                = code("invalid_document_fields", typeInvalidRequest, 400)
	CodeInvalidDocumentFilter                = code("invalid_document_filter", typeInvalidRequest, 400)
	CodeInvalidDocumentGeoField              = code("invalid_document_geo_field", typeInvalidRequest, 400)
	CodeInvalidDocumentGeoJSONField          = code("invalid_document_geojson_field", typeInvalidRequest, 400)
	CodeInvalidDocumentID                    = code("invalid_document_id", typeInvalidRequest, 400)
	CodeInvalidDocumentIDs                   = code("invalid_document_ids", typeInvalidRequest, 400)
	CodeInvalidDocumentLimit                 = code("invalid_document_limit", typeInvalidRequest, 400)
	CodeInvalidDocumentOffset                = code("invalid_document_offset", typeInvalidRequest, 400)
	CodeInvalidDocumentRetrieve              = code("invalid_document_retrieve", typeInvalidRequest, 400) // 1.53: in tasks of old dumps only
	CodeInvalidDocumentRetrieveVectors       = code("invalid_document_retrieve_vectors", typeInvalidRequest, 400)
	CodeInvalidDocumentSort                  = code("invalid_document_sort", typeInvalidRequest, 400)
	CodeInvalidDocumentUseNetwork            = code("invalid_document_use_network", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidVectorDimensions = code("invalid_vector_dimensions", typeInvalidRequest, 400)
	CodeInvalidVectorsType      = code("invalid_vectors_type", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var ()

// Status 400, type invalid_request.
var (
	CodeInvalidChatCompletionAPIKey                    = code("invalid_chat_completion_api_key", typeInvalidRequest, 400)
	CodeInvalidChatCompletionAPIVersion                = code("invalid_chat_completion_api_version", typeInvalidRequest, 400)
	CodeInvalidChatCompletionBaseAPI                   = code("invalid_chat_completion_base_api", typeInvalidRequest, 400)
	CodeInvalidChatCompletionDeploymentID              = code("invalid_chat_completion_deployment_id", typeInvalidRequest, 400)
	CodeInvalidChatCompletionOrgID                     = code("invalid_chat_completion_org_id", typeInvalidRequest, 400)
	CodeInvalidChatCompletionPreQueryPrompt            = code("invalid_chat_completion_pre_query_prompt", typeInvalidRequest, 400)
	CodeInvalidChatCompletionProjectID                 = code("invalid_chat_completion_project_id", typeInvalidRequest, 400)
	CodeInvalidChatCompletionPrompts                   = code("invalid_chat_completion_prompts", typeInvalidRequest, 400)
	CodeInvalidChatCompletionSearchDescriptionPrompt   = code("invalid_chat_completion_search_description_prompt", typeInvalidRequest, 400)
	CodeInvalidChatCompletionSearchFilterParamPrompt   = code("invalid_chat_completion_search_filter_param_prompt", typeInvalidRequest, 400)
	CodeInvalidChatCompletionSearchIndexUIDParamPrompt = code("invalid_chat_completion_search_index_uid_param_prompt", typeInvalidRequest, 400)
	CodeInvalidChatCompletionSearchQueryParamPrompt    = code("invalid_chat_completion_search_query_param_prompt", typeInvalidRequest, 400)
	CodeInvalidChatCompletionSource                    = code("invalid_chat_completion_source", typeInvalidRequest, 400)
	CodeInvalidChatCompletionSystemPrompt              = code("invalid_chat_completion_system_prompt", typeInvalidRequest, 400)
	CodeInvalidChatSettingDocumentTemplate             = code("invalid_chat_setting_document_template", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidSearchAttributesToCrop        = code("invalid_search_attributes_to_crop", typeInvalidRequest, 400)
	CodeInvalidSearchAttributesToHighlight   = code("invalid_search_attributes_to_highlight", typeInvalidRequest, 400)
	CodeInvalidSearchAttributesToRetrieve    = code("invalid_search_attributes_to_retrieve", typeInvalidRequest, 400)
	CodeInvalidSearchAttributesToSearchOn    = code("invalid_search_attributes_to_search_on", typeInvalidRequest, 400)
	CodeInvalidSearchCropLength              = code("invalid_search_crop_length", typeInvalidRequest, 400)
	CodeInvalidSearchCropMarker              = code("invalid_search_crop_marker", typeInvalidRequest, 400)
	CodeInvalidSearchDistinct                = code("invalid_search_distinct", typeInvalidRequest, 400)
	CodeInvalidSearchEmbedder                = code("invalid_search_embedder", typeInvalidRequest, 400)
	CodeInvalidSearchFacets                  = code("invalid_search_facets", typeInvalidRequest, 400)
	CodeInvalidSearchFilter                  = code("invalid_search_filter", typeInvalidRequest, 400)
	CodeInvalidSearchHighlightPostTag        = code("invalid_search_highlight_post_tag", typeInvalidRequest, 400)
	CodeInvalidSearchHighlightPreTag         = code("invalid_search_highlight_pre_tag", typeInvalidRequest, 400)
	CodeInvalidSearchHitsPerPage             = code("invalid_search_hits_per_page", typeInvalidRequest, 400)
	CodeInvalidSearchHybridQuery             = code("invalid_search_hybrid_query", typeInvalidRequest, 400)
	CodeInvalidSearchLimit                   = code("invalid_search_limit", typeInvalidRequest, 400)
	CodeInvalidSearchLocales                 = code("invalid_search_locales", typeInvalidRequest, 400)
	CodeInvalidSearchMatchingStrategy        = code("invalid_search_matching_strategy", typeInvalidRequest, 400)
	CodeInvalidSearchMedia                   = code("invalid_search_media", typeInvalidRequest, 400)
	CodeInvalidSearchMediaAndVector          = code("invalid_search_media_and_vector", typeInvalidRequest, 400)
	CodeInvalidSearchOffset                  = code("invalid_search_offset", typeInvalidRequest, 400)
	CodeInvalidSearchPage                    = code("invalid_search_page", typeInvalidRequest, 400)
	CodeInvalidSearchInlineRule              = code("invalid_search_inline_rule", typeInvalidRequest, 400)
	CodeInvalidSearchRankingRules            = code("invalid_search_ranking_rules", typeInvalidRequest, 400)
	CodeInvalidSearchHitsPerGroup            = code("invalid_search_hits_per_group", typeInvalidRequest, 400)
	CodeInvalidSearchPersonalize             = code("invalid_search_personalize", typeInvalidRequest, 400)
	CodeInvalidSearchPersonalizeUserContext  = code("invalid_search_personalize_user_context", typeInvalidRequest, 400)
	CodeInvalidSearchQ                       = code("invalid_search_q", typeInvalidRequest, 400)
	CodeInvalidSearchRankingScoreThreshold   = code("invalid_search_ranking_score_threshold", typeInvalidRequest, 400)
	CodeInvalidSearchRetrieveVectors         = code("invalid_search_retrieve_vectors", typeInvalidRequest, 400)
	CodeInvalidSearchSemanticRatio           = code("invalid_search_semantic_ratio", typeInvalidRequest, 400)
	CodeInvalidSearchShowMatchesPosition     = code("invalid_search_show_matches_position", typeInvalidRequest, 400)
	CodeInvalidSearchShowPerformanceDetails  = code("invalid_search_show_performance_details", typeInvalidRequest, 400)
	CodeInvalidSearchShowRankingScore        = code("invalid_search_show_ranking_score", typeInvalidRequest, 400)
	CodeInvalidSearchShowRankingScoreDetails = code("invalid_search_show_ranking_score_details", typeInvalidRequest, 400)
	CodeInvalidSearchSort                    = code("invalid_search_sort", typeInvalidRequest, 400)
	CodeInvalidSearchUseNetwork              = code("invalid_search_use_network", typeInvalidRequest, 400)
	CodeInvalidSearchVector                  = code("invalid_search_vector", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidSimilarAttributesToRetrieve    = code("invalid_similar_attributes_to_retrieve", typeInvalidRequest, 400)
	CodeInvalidSimilarEmbedder                = code("invalid_similar_embedder", typeInvalidRequest, 400)
	CodeInvalidSimilarFilter                  = code("invalid_similar_filter", typeInvalidRequest, 400)
	CodeInvalidSimilarID                      = code("invalid_similar_id", typeInvalidRequest, 400)
	CodeInvalidSimilarLimit                   = code("invalid_similar_limit", typeInvalidRequest, 400)
	CodeInvalidSimilarOffset                  = code("invalid_similar_offset", typeInvalidRequest, 400)
	CodeInvalidSimilarRankingScoreThreshold   = code("invalid_similar_ranking_score_threshold", typeInvalidRequest, 400)
	CodeInvalidSimilarRetrieveVectors         = code("invalid_similar_retrieve_vectors", typeInvalidRequest, 400)
	CodeInvalidSimilarShowPerformanceDetails  = code("invalid_similar_show_performance_details", typeInvalidRequest, 400)
	CodeInvalidSimilarShowRankingScore        = code("invalid_similar_show_ranking_score", typeInvalidRequest, 400)
	CodeInvalidSimilarShowRankingScoreDetails = code("invalid_similar_show_ranking_score_details", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidFacetSearchExhaustiveFacetCount = code("invalid_facet_search_exhaustive_facet_count", typeInvalidRequest, 400)
	CodeInvalidFacetSearchFacetName            = code("invalid_facet_search_facet_name", typeInvalidRequest, 400)
	CodeInvalidFacetSearchName                 = code("invalid_facet_search_name", typeInvalidRequest, 400)
	CodeInvalidFacetSearchQuery                = code("invalid_facet_search_query", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidMultiSearchDistinct                    = code("invalid_multi_search_distinct", typeInvalidRequest, 400)
	CodeInvalidMultiSearchFacetOrder                  = code("invalid_multi_search_facet_order", typeInvalidRequest, 400)
	CodeInvalidMultiSearchFacets                      = code("invalid_multi_search_facets", typeInvalidRequest, 400)
	CodeInvalidMultiSearchFacetsByIndex               = code("invalid_multi_search_facets_by_index", typeInvalidRequest, 400)
	CodeInvalidMultiSearchFederated                   = code("invalid_multi_search_federated", typeInvalidRequest, 400)
	CodeInvalidMultiSearchFederationOptions           = code("invalid_multi_search_federation_options", typeInvalidRequest, 400)
	CodeInvalidMultiSearchMaxValuesPerFacet           = code("invalid_multi_search_max_values_per_facet", typeInvalidRequest, 400)
	CodeInvalidMultiSearchMergeFacets                 = code("invalid_multi_search_merge_facets", typeInvalidRequest, 400)
	CodeInvalidMultiSearchQueryFacets                 = code("invalid_multi_search_query_facets", typeInvalidRequest, 400)
	CodeInvalidMultiSearchQueryPagination             = code("invalid_multi_search_query_pagination", typeInvalidRequest, 400)
	CodeInvalidMultiSearchQueryPersonalization        = code("invalid_multi_search_query_personalization", typeInvalidRequest, 400)
	CodeInvalidMultiSearchQueryPosition               = code("invalid_multi_search_query_position", typeInvalidRequest, 400)
	CodeInvalidMultiSearchQueryRankingRules           = code("invalid_multi_search_query_ranking_rules", typeInvalidRequest, 400)
	CodeInvalidMultiSearchQueryShowPerformanceDetails = code("invalid_multi_search_query_show_performance_details", typeInvalidRequest, 400)
	CodeInvalidMultiSearchRemote                      = code("invalid_multi_search_remote", typeInvalidRequest, 400)
	CodeInvalidMultiSearchWeight                      = code("invalid_multi_search_weight", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidTaskAfterEnqueuedAt  = code("invalid_task_after_enqueued_at", typeInvalidRequest, 400)
	CodeInvalidTaskAfterFinishedAt  = code("invalid_task_after_finished_at", typeInvalidRequest, 400)
	CodeInvalidTaskAfterStartedAt   = code("invalid_task_after_started_at", typeInvalidRequest, 400)
	CodeInvalidTaskBeforeEnqueuedAt = code("invalid_task_before_enqueued_at", typeInvalidRequest, 400)
	CodeInvalidTaskBeforeFinishedAt = code("invalid_task_before_finished_at", typeInvalidRequest, 400)
	CodeInvalidTaskBeforeStartedAt  = code("invalid_task_before_started_at", typeInvalidRequest, 400)
	CodeInvalidTaskCanceledBy       = code("invalid_task_canceled_by", typeInvalidRequest, 400)
	CodeInvalidTaskFrom             = code("invalid_task_from", typeInvalidRequest, 400)
	CodeInvalidTaskLimit            = code("invalid_task_limit", typeInvalidRequest, 400)
	CodeInvalidTaskReverse          = code("invalid_task_reverse", typeInvalidRequest, 400)
	CodeInvalidTaskStatuses         = code("invalid_task_statuses", typeInvalidRequest, 400)
	CodeInvalidTaskTypes            = code("invalid_task_types", typeInvalidRequest, 400)
	CodeInvalidTaskUIDs             = code("invalid_task_uids", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidBatchUIDs = code("invalid_batch_uids", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidAPIKeyActions     = code("invalid_api_key_actions", typeInvalidRequest, 400)
	CodeInvalidAPIKeyDescription = code("invalid_api_key_description", typeInvalidRequest, 400)
	CodeInvalidAPIKeyExpiresAt   = code("invalid_api_key_expires_at", typeInvalidRequest, 400)
	CodeInvalidAPIKeyIndexes     = code("invalid_api_key_indexes", typeInvalidRequest, 400)
	CodeInvalidAPIKeyLimit       = code("invalid_api_key_limit", typeInvalidRequest, 400)
	CodeInvalidAPIKeyName        = code("invalid_api_key_name", typeInvalidRequest, 400)
	CodeInvalidAPIKeyOffset      = code("invalid_api_key_offset", typeInvalidRequest, 400)
	CodeInvalidAPIKeyUID         = code("invalid_api_key_uid", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidNetworkLeader       = code("invalid_network_leader", typeInvalidRequest, 400)
	CodeInvalidNetworkRemotes      = code("invalid_network_remotes", typeInvalidRequest, 400)
	CodeInvalidNetworkSearchAPIKey = code("invalid_network_search_api_key", typeInvalidRequest, 400)
	CodeInvalidNetworkSelf         = code("invalid_network_self", typeInvalidRequest, 400)
	CodeInvalidNetworkShards       = code("invalid_network_shards", typeInvalidRequest, 400)
	CodeInvalidNetworkURL          = code("invalid_network_url", typeInvalidRequest, 400)
	CodeInvalidNetworkWriteAPIKey  = code("invalid_network_write_api_key", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidExportAPIKey                = code("invalid_export_api_key", typeInvalidRequest, 400)
	CodeInvalidExportIndexFilter           = code("invalid_export_index_filter", typeInvalidRequest, 400)
	CodeInvalidExportIndexOverrideSettings = code("invalid_export_index_override_settings", typeInvalidRequest, 400)
	CodeInvalidExportIndexesPatterns       = code("invalid_export_indexes_patterns", typeInvalidRequest, 400)
	CodeInvalidExportPayloadSize           = code("invalid_export_payload_size", typeInvalidRequest, 400)
	CodeInvalidExportURL                   = code("invalid_export_url", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidWebhookHeaders = code("invalid_webhook_headers", typeInvalidRequest, 400)
	CodeInvalidWebhookURL     = code("invalid_webhook_url", typeInvalidRequest, 400)
	CodeInvalidWebhookUUID    = code("invalid_webhook_uuid", typeInvalidRequest, 400)
	CodeInvalidWebhooks       = code("invalid_webhooks", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidDynamicSearchRuleActions      = code("invalid_dynamic_search_rule_actions", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleActive       = code("invalid_dynamic_search_rule_active", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleConditions   = code("invalid_dynamic_search_rule_conditions", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleDescription  = code("invalid_dynamic_search_rule_description", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleFilter       = code("invalid_dynamic_search_rule_filter", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleFilterActive = code("invalid_dynamic_search_rule_filter_active", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleFilterQuery  = code("invalid_dynamic_search_rule_filter_query", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleLimit        = code("invalid_dynamic_search_rule_limit", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleOffset       = code("invalid_dynamic_search_rule_offset", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRulePriority     = code("invalid_dynamic_search_rule_priority", typeInvalidRequest, 400)
	CodeInvalidDynamicSearchRuleShowTarget   = code("invalid_dynamic_search_rule_show_target", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeInvalidRenderInput    = code("invalid_render_input", typeInvalidRequest, 400)
	CodeInvalidRenderTemplate = code("invalid_render_template", typeInvalidRequest, 400)
)

// Status 400, type invalid_request.
var (
	CodeBadParameter                           = code("bad_parameter", typeInvalidRequest, 400)
	CodeBadRequest                             = code("bad_request", typeInvalidRequest, 400)
	CodeDuplicateIndexFound                    = code("duplicate_index_found", typeInvalidRequest, 400)
	CodeEditDocumentsByFunctionError           = code("edit_documents_by_function_error", typeInvalidRequest, 400)
	CodeFacetSearchDisabled                    = code("facet_search_disabled", typeInvalidRequest, 400)
	CodeFeatureNotEnabled                      = code("feature_not_enabled", typeInvalidRequest, 400)
	CodeInconsistentDocumentChangeHeaders      = code("inconsistent_document_change_headers", typeInvalidRequest, 400)
	CodeIndexPrimaryKeyAlreadyExists           = code("index_primary_key_already_exists", typeInvalidRequest, 400)
	CodeIndexPrimaryKeyMultipleCandidatesFound = code("index_primary_key_multiple_candidates_found", typeInvalidRequest, 400)
	CodeIndexPrimaryKeyNoCandidateFound        = code("index_primary_key_no_candidate_found", typeInvalidRequest, 400)
	CodeIndexScopedAPIKeyWithGlobalAction      = code("index_scoped_api_key_with_global_action", typeInvalidRequest, 400)
	CodeInvalidHeaderValue                     = code("invalid_header_value", typeInvalidRequest, 400)
	CodeInvalidSkipCreation                    = code("invalid_skip_creation", typeInvalidRequest, 400)
	CodeMalformedPayload                       = code("malformed_payload", typeInvalidRequest, 400)
	CodeMaxFieldsLimitExceeded                 = code("max_fields_limit_exceeded", typeInvalidRequest, 400)
	CodeNetworkVersionTooOld                   = code("network_version_too_old", typeInvalidRequest, 400)
	CodeNotFoundSimilarID                      = code("not_found_similar_id", typeInvalidRequest, 400)
	CodeNotLeader                              = code("not_leader", typeInvalidRequest, 400)
	CodeRemoteBadRequest                       = code("remote_bad_request", typeInvalidRequest, 400)
	CodeTemplateParsingError                   = code("template_parsing_error", typeInvalidRequest, 400)
	CodeTemplateRenderingError                 = code("template_rendering_error", typeInvalidRequest, 400)
	CodeTooManyVectors                         = code("too_many_vectors", typeInvalidRequest, 400)
	CodeUnexpectedNetworkPreviousRemotes       = code("unexpected_network_previous_remotes", typeInvalidRequest, 400)
	CodeUnknownRemote                          = code("unknown_remote", typeInvalidRequest, 400)
	CodeUnprocessedNetworkTask                 = code("unprocessed_network_task", typeInvalidRequest, 400)
	CodeUnretrievableErrorCode                 = code("unretrievable_error_code", typeInvalidRequest, 400)
	CodeVectorEmbeddingError                   = code("vector_embedding_error", typeInvalidRequest, 400)
)
