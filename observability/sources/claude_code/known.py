"""Names of records, attachments and keys that are known. All others are counted and shown on Sources.

Read off transcripts of versions 2.0.76 to 2.1.287. A known key need not be used.
"""

from __future__ import annotations

from typing import Final

ENVELOPE: Final = frozenset(
    "type uuid parentUuid logicalParentUuid sessionId agentId requestId timestamp version cwd gitBranch slug "
    "isSidechain isMeta userType entrypoint promptId".split()
)
_ATTRIBUTION: Final = frozenset(
    "attributionAgent attributionSkill attributionPlugin attributionMcpServer attributionMcpTool".split()
)

TOP: Final[dict[str, frozenset[str]]] = {
    "assistant": ENVELOPE
    | _ATTRIBUTION
    | frozenset("message apiBlockIndex advisorModel effort perTurnEffort isApiErrorMessage".split()),
    "user": ENVELOPE
    | _ATTRIBUTION
    | frozenset(
        "message permissionMode promptSource turnOrigin turnPosition sourceToolAssistantUUID sourceToolUseID "
        "thinkingMetadata todos isVisibleInTranscriptOnly isCompactSummary toolUseResult tool_use_result".split()
    ),
    "attachment": ENVELOPE | frozenset("attachment rendered renderedRole".split()),
    "system": ENVELOPE
    | frozenset(
        "subtype content level compactMetadata microcompactMetadata hookCount hookInfos hookErrors "
        "hookAdditionalContext preventedContinuation stopReason hasOutput toolUseID durationMs".split()
    ),
    "progress": ENVELOPE | frozenset("data toolUseID parentToolUseID".split()),
    "queue-operation": frozenset("type operation timestamp sessionId content".split()),
    "last-prompt": frozenset("type lastPrompt leafUuid sessionId".split()),
    "ai-title": frozenset("type aiTitle title sessionId".split()),
    "custom-title": frozenset("type customTitle title sessionId".split()),
    "summary": frozenset("type summary leafUuid sessionId".split()),
    "pr-link": frozenset("type sessionId prNumber prUrl prRepository timestamp".split()),
    "atis-latch": frozenset("type atis sessionId".split()),
    "mode": frozenset("type mode sessionId".split()),
    "permission-mode": frozenset("type permissionMode sessionId".split()),
    "file-history-snapshot": frozenset("type messageId snapshot isSnapshotUpdate sessionId".split()),
    "cost-state": frozenset(
        "type sessionId totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration "
        "totalLinesAdded totalLinesRemoved totalDuration startTime modelUsage hasUnknownModelCost".split()
    ),
}
"""Keys of each record type whose keys are known."""

RECORDS_WITHOUT_KEYS: Final = frozenset("file-history-delta bridge-session".split())
"""Known to exist; nothing is known of their keys."""

SUBTYPES: Final = frozenset(
    "compact_boundary microcompact_boundary api_error stop_hook_summary local_command bridge_status "
    "model_refusal_fallback turn_duration".split()
)

MESSAGE: Final = frozenset(
    "role content model id type container stop_reason stop_sequence stop_details usage input_transformations "
    "diagnostics context_management".split()
)

USAGE: Final = frozenset(
    "input_tokens cache_creation_input_tokens cache_read_input_tokens output_tokens output_tokens_details "
    "server_tool_use service_tier cache_creation inference_geo iterations speed fallback_credit".split()
)

BLOCKS: Final[dict[str, frozenset[str]]] = {
    "text": frozenset("type text citations cache_control".split()),
    "thinking": frozenset("type thinking signature".split()),
    "redacted_thinking": frozenset("type data".split()),
    "tool_use": frozenset("type id name input caller".split()),
    "server_tool_use": frozenset("type id name input caller".split()),
    "tool_result": frozenset("type tool_use_id content is_error cache_control".split()),
    "image": frozenset("type source cache_control".split()),
    "document": frozenset("type source title context citations cache_control".split()),
    "tool_reference": frozenset("type tool_name cache_control".split()),
}
"""Keys of each type of content block."""

ATTACHMENTS: Final[dict[str, frozenset[str] | None]] = {
    "agent_listing_delta": frozenset(
        "type addedTypes addedLines builtInTypes removedTypes isInitial showConcurrencyNote".split()
    ),
    "credential_org": frozenset("type organizationUuid".split()),
    "date": frozenset("type date".split()),
    "deferred_tools_delta": frozenset(
        "type addedNames addedLines removedNames wireHiddenNames readdedNames pendingMcpServers needsAuthMcpServers "
        "failedMcpServers surfacedNames surfacedDefinitions removedByBlock toolSearchAbsent".split()
    ),
    "deferred_tools_record": frozenset("type entries nameOnlyAnnouncements toolInputCopies strippedReferences".split()),
    "environment": frozenset("type snapshot".split()),
    "hook_success": frozenset(
        "type hookName toolUseID hookEvent content stdout stderr exitCode command durationMs".split()
    ),
    "hook_system_message": frozenset("type content hookName toolUseID hookEvent".split()),
    "hook_additional_context": frozenset("type content hookName toolUseID hookEvent".split()),
    "instructions": None,
    "nested_memory": None,
    "mcp_instructions_delta": frozenset("type addedNames addedBlocks removedNames".split()),
    "model": frozenset("type identity text".split()),
    "prompt_snapshot": frozenset(
        "type systemPrompt tools reminderFold echoWireToolInputs contextRendering cliPrefix systemTurns "
        "toolChangeHeader inlineTools keptReminders".split()
    ),
    "remote_session_change": frozenset("type url commit pr sendUserFileHint managedCommit managedPr".split()),
    "session_context": frozenset("type context".split()),
    "skill_listing": frozenset("type content skillCount isInitial names".split()),
    "task_reminder": frozenset("type content itemCount".split()),
    "total_tokens_reminder": frozenset("type text".split()),
    "queued_command": None,
    "file": None,
    "edited_text_file": None,
}
"""Keys of each type of attachment; None where nothing is known of them."""
