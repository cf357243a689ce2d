"""Names of records, attachments and keys that are known. All others are counted and shown on Sources.

Read off transcripts of versions 2.0.76 to 2.1.287. A known key need not be used.
"""

from __future__ import annotations

from typing import Final


def _keys(names: str) -> frozenset[str]:
    return frozenset(names.split())


ENVELOPE: Final = _keys(
    "type uuid parentUuid logicalParentUuid sessionId agentId requestId timestamp version cwd gitBranch slug "
    "isSidechain isMeta userType entrypoint promptId"
)
_ATTRIBUTION: Final = _keys(
    "attributionAgent attributionSkill attributionPlugin attributionMcpServer attributionMcpTool"
)

TOP: Final[dict[str, frozenset[str]]] = {
    "assistant": ENVELOPE
    | _ATTRIBUTION
    | _keys("message apiBlockIndex advisorModel effort perTurnEffort isApiErrorMessage"),
    "user": ENVELOPE
    | _ATTRIBUTION
    | _keys(
        "message permissionMode promptSource turnOrigin turnPosition sourceToolAssistantUUID sourceToolUseID "
        "thinkingMetadata todos isVisibleInTranscriptOnly isCompactSummary toolUseResult tool_use_result"
    ),
    "attachment": ENVELOPE | _keys("attachment rendered renderedRole"),
    "system": ENVELOPE
    | _keys(
        "subtype content level compactMetadata microcompactMetadata hookCount hookInfos hookErrors "
        "hookAdditionalContext preventedContinuation stopReason hasOutput toolUseID durationMs"
    ),
    "progress": ENVELOPE | _keys("data toolUseID parentToolUseID"),
    "queue-operation": _keys("type operation timestamp sessionId content"),
    "last-prompt": _keys("type lastPrompt leafUuid sessionId"),
    "ai-title": _keys("type aiTitle title sessionId"),
    "custom-title": _keys("type customTitle title sessionId"),
    "summary": _keys("type summary leafUuid sessionId"),
    "pr-link": _keys("type sessionId prNumber prUrl prRepository timestamp"),
    "atis-latch": _keys("type atis sessionId"),
    "mode": _keys("type mode sessionId"),
    "permission-mode": _keys("type permissionMode sessionId"),
    "file-history-snapshot": _keys("type messageId snapshot isSnapshotUpdate sessionId"),
    "cost-state": _keys(
        "type sessionId totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration "
        "totalLinesAdded totalLinesRemoved totalDuration startTime modelUsage hasUnknownModelCost"
    ),
}
"""Keys of each record type whose keys are known."""

RECORDS_WITHOUT_KEYS: Final = _keys("file-history-delta bridge-session")
"""Known to exist; nothing is known of their keys."""

SUBTYPES: Final = _keys(
    "compact_boundary microcompact_boundary api_error stop_hook_summary local_command bridge_status "
    "model_refusal_fallback turn_duration"
)

MESSAGE: Final = _keys(
    "role content model id type container stop_reason stop_sequence stop_details usage input_transformations "
    "diagnostics context_management"
)

USAGE: Final = _keys(
    "input_tokens cache_creation_input_tokens cache_read_input_tokens output_tokens output_tokens_details "
    "server_tool_use service_tier cache_creation inference_geo iterations speed fallback_credit"
)

BLOCKS: Final[dict[str, frozenset[str]]] = {
    "text": _keys("type text citations cache_control"),
    "thinking": _keys("type thinking signature"),
    "redacted_thinking": _keys("type data"),
    "tool_use": _keys("type id name input caller"),
    "server_tool_use": _keys("type id name input caller"),
    "tool_result": _keys("type tool_use_id content is_error cache_control"),
    "image": _keys("type source cache_control"),
    "document": _keys("type source title context citations cache_control"),
    "tool_reference": _keys("type tool_name cache_control"),
}
"""Keys of each type of content block."""

ATTACHMENTS: Final[dict[str, frozenset[str] | None]] = {
    "agent_listing_delta": _keys("type addedTypes addedLines builtInTypes removedTypes isInitial showConcurrencyNote"),
    "credential_org": _keys("type organizationUuid"),
    "date": _keys("type date"),
    "deferred_tools_delta": _keys(
        "type addedNames addedLines removedNames wireHiddenNames readdedNames pendingMcpServers needsAuthMcpServers "
        "failedMcpServers surfacedNames surfacedDefinitions removedByBlock toolSearchAbsent"
    ),
    "deferred_tools_record": _keys("type entries nameOnlyAnnouncements toolInputCopies strippedReferences"),
    "environment": _keys("type snapshot"),
    "hook_success": _keys("type hookName toolUseID hookEvent content stdout stderr exitCode command durationMs"),
    "hook_system_message": _keys("type content hookName toolUseID hookEvent"),
    "hook_additional_context": _keys("type content hookName toolUseID hookEvent"),
    "instructions": None,
    "nested_memory": None,
    "mcp_instructions_delta": _keys("type addedNames addedBlocks removedNames"),
    "model": _keys("type identity text"),
    "prompt_snapshot": _keys(
        "type systemPrompt tools reminderFold echoWireToolInputs contextRendering cliPrefix systemTurns "
        "toolChangeHeader inlineTools keptReminders"
    ),
    "remote_session_change": _keys("type url commit pr sendUserFileHint managedCommit managedPr"),
    "session_context": _keys("type context"),
    "skill_listing": _keys("type content skillCount isInitial names"),
    "task_reminder": _keys("type content itemCount"),
    "total_tokens_reminder": _keys("type text"),
    "queued_command": None,
    "file": None,
    "edited_text_file": None,
}
"""Keys of each type of attachment; None where nothing is known of them."""
