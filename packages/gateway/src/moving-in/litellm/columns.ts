// Every table and column of LiteLLM 1.106: what is read, what has no effect elsewhere, and the grade of what is lost.
import type { Findings, Grade } from '../findings.ts'
import { textOf } from '../sources/fields.ts'
import type { SourceDatabase, SourceRow } from '../sources/source-database.ts'

type Lost = readonly [grade: Grade, says: string]
/** `read`: used. `aside`: has no effect, or follows from others. `lost`: reported where a row has it. */
type Table = { key: readonly string[]; read: string; aside?: string; lost?: Readonly<Record<string, Lost>> }

const MADE = 'created_at created_by updated_at updated_by'
const PERMISSIONS: Lost = ['not_supported', 'Permissions for MCP servers, agents and vector stores do not exist here.']
const POLICIES: Lost = ['not_supported', 'Guardrail policies do not exist here.']
const CACHE: Lost = ['not_supported', 'Responses are not cached here.']
const PROJECT: Lost = ['manual', 'Projects do not exist here: give the key a tag of the project, and the tag a budget.']
const PER_DAY: Lost = ['not_supported', 'Limits of tokens per day do not exist here.']
const ROUTING: Lost = ['not_supported', 'Routing and fallbacks are settings of models here, not of keys and teams.']
const MODEL_BUDGETS: Lost = ['manual', 'Budgets by model are those of keys here: give the keys such budgets.']

export const MOVED: Readonly<Record<string, Table>> = {
  LiteLLM_UserTable: {
    key: ['user_id'],
    read: 'user_id user_alias password user_role max_budget spend user_email models max_parallel_requests tpm_limit rpm_limit budget_duration budget_reset_at created_at password_reset_required',
    aside: 'team_id organization_id teams metadata model_spend updated_at last_breach_check_at',
    lost: {
      sso_user_id: [
        'manual',
        'Set up the provider under sign_in; the person is recognized there by their e-mail address.',
      ],
      allowed_cache_controls: CACHE,
      model_max_budget: MODEL_BUDGETS,
      object_permission_id: PERMISSIONS,
      policies: POLICIES,
    },
  },
  LiteLLM_TeamTable: {
    key: ['team_id'],
    read: 'team_id team_alias organization_id admins members members_with_roles metadata max_budget spend models max_parallel_requests tpm_limit rpm_limit budget_duration budget_reset_at blocked created_at model_id soft_budget budget_limits access_group_ids',
    aside: 'updated_at model_spend team_member_permissions allow_team_guardrail_config',
    lost: {
      model_max_budget: MODEL_BUDGETS,
      object_permission_id: PERMISSIONS,
      policies: POLICIES,
      router_settings: ROUTING,
      default_team_member_models: ['not_supported', 'Models are chosen by key here, not by member.'],
      tpd_limit: PER_DAY,
    },
  },
  LiteLLM_TeamMembership: {
    key: ['team_id', 'user_id'],
    read: 'user_id team_id spend budget_id',
    aside: 'total_spend',
  },
  LiteLLM_OrganizationTable: {
    key: ['organization_id'],
    read: 'organization_id organization_alias budget_id spend',
    aside: `model_spend ${MADE}`,
    lost: {
      metadata: ['not_supported', 'Organizations have no notes here.'],
      models: ['manual', 'Restrict the models of the keys of the organization; organizations do not exist here.'],
      object_permission_id: PERMISSIONS,
    },
  },
  LiteLLM_OrganizationMembership: {
    key: ['organization_id', 'user_id'],
    read: 'user_id organization_id',
    aside: 'spend created_at updated_at',
    lost: {
      user_role: ['manual', 'Organizations are tags here: make the person an owner of their teams where needed.'],
      budget_id: ['not_supported', 'Budgets of people within an organization do not exist here.'],
    },
  },
  LiteLLM_BudgetTable: {
    key: ['budget_id'],
    read: 'budget_id max_budget soft_budget max_parallel_requests tpm_limit rpm_limit model_max_budget budget_duration budget_reset_at',
    aside: MADE,
    lost: {
      allowed_models: ['manual', 'Models are chosen by key here, not by budget.'],
      tpd_limit: PER_DAY,
      temp_budget_increase: ['manual', 'The increase for a time is not added: raise the budget if it still holds.'],
      temp_budget_expiry: ['manual', 'The increase for a time is not added: raise the budget if it still holds.'],
    },
  },
  LiteLLM_BudgetWindowSpend: {
    key: ['entity_type', 'entity_id', 'window_duration', 'window_start'],
    read: 'entity_type entity_id window_duration window_start spend',
    aside: 'created_at updated_at',
  },
  LiteLLM_VerificationToken: {
    key: ['token'],
    read: 'token key_name key_alias spend expires models aliases user_id team_id max_parallel_requests metadata blocked tpm_limit rpm_limit max_budget budget_duration budget_reset_at model_max_budget budget_id organization_id created_at allowed_routes access_group_ids budget_limits total_spend',
    aside: `soft_budget_cooldown model_spend ${MADE} key_type last_active last_rotation_at rotation_count settings_updated_at`,
    lost: {
      config: ['not_supported', 'Settings of single keys do not exist here.'],
      permissions: PERMISSIONS,
      allowed_cache_controls: CACHE,
      object_permission_id: PERMISSIONS,
      auto_rotate: ['manual', 'Keys are not rotated by themselves here: rotate it in the console.'],
      key_rotation_at: ['manual', 'Keys are not rotated by themselves here: rotate it in the console.'],
      rotation_interval: ['manual', 'Keys are not rotated by themselves here: rotate it in the console.'],
      project_id: PROJECT,
      router_settings: ROUTING,
      policies: POLICIES,
      agent_id: ['not_supported', 'Agents do not exist here.'],
      budget_fallbacks: ['not_supported', 'A used-up budget leads to no other model here: the request is rejected.'],
      tpd_limit: PER_DAY,
    },
  },
  LiteLLM_DeprecatedVerificationToken: { key: ['id'], read: 'id token active_token_id revoke_at', aside: 'created_at' },
  LiteLLM_ModelTable: { key: ['id'], read: 'id aliases', aside: MADE },
  LiteLLM_AccessGroupTable: {
    key: ['access_group_id'],
    read: 'access_group_id access_group_name access_model_names',
    aside: `description ${MADE}`,
    lost: {
      access_mcp_server_ids: PERMISSIONS,
      access_agent_ids: PERMISSIONS,
      assigned_team_ids: ['manual', 'Only access groups that a key or a team names itself are added to its models.'],
      assigned_key_ids: ['manual', 'Only access groups that a key or a team names itself are added to its models.'],
    },
  },
  LiteLLM_ProxyModelTable: {
    key: ['model_id'],
    read: 'model_id model_name litellm_params model_info blocked',
    aside: MADE,
  },
  LiteLLM_CredentialsTable: {
    key: ['credential_name'],
    read: 'credential_name credential_values credential_info',
    aside: `credential_id display_name ${MADE}`,
  },
  LiteLLM_Config: { key: ['param_name'], read: 'param_name param_value', aside: 'last_run_at reload_revision' },
  LiteLLM_EndUserTable: {
    key: ['user_id'],
    read: 'user_id spend budget_id',
    aside: 'alias',
    lost: {
      allowed_model_region: ['not_supported', 'Regions are not chosen by end user here.'],
      default_model: ['not_supported', 'Models are not chosen by end user here.'],
      blocked: [
        'manual',
        'End users are not blocked here: give the end user a small budget in the accounts that send it.',
      ],
      object_permission_id: PERMISSIONS,
      models: ['not_supported', 'Models are not chosen by end user here.'],
    },
  },
  LiteLLM_TagTable: {
    key: ['tag_name'],
    read: 'tag_name spend budget_id',
    aside: `description model_info ${MADE}`,
    lost: { models: ['not_supported', 'Routes are not chosen by tag here.'] },
  },
  LiteLLM_DailyUserSpend: {
    key: ['date', 'id'],
    read: 'id user_id date api_key model model_group prompt_tokens completion_tokens spend api_requests failed_requests cache_read_input_tokens',
    aside:
      'custom_llm_provider created_at updated_at successful_requests cache_creation_input_tokens mcp_namespaced_tool_name endpoint compression_saved_tokens compression_savings_spend prompt_caching_savings_spend autorouter_savings_spend gateway_injected_caching_savings_spend total_response_time_ms timed_requests',
  },
  LiteLLM_SpendLogs: {
    key: ['startTime', 'request_id'],
    read: 'request_id api_key spend prompt_tokens completion_tokens startTime model model_group user metadata cache_hit status model_id end_user',
    aside:
      'call_type total_tokens endTime completionStartTime custom_llm_provider api_base cache_key request_tags team_id requester_ip_address messages response proxy_server_request session_id mcp_namespaced_tool_name agent_id request_duration_ms created_at updated_at litellm_call_id billing_agent_id organization_id',
  },
}

/** Tables that do not move, by name; reported where they have rows. */
const OTHERS: readonly (readonly [names: string, grade: Grade, says: string])[] = [
  [
    'DailyAgentSpend DailyEndUserSpend DailyGatewayRequests DailyGlobalSpend DailyModelUsage DailyOrganizationSpend DailyTagSpend DailyTeamSpend DailyToolSpend AutoRouterDailySpend SpendLogGuardrailIndex SpendLogToolIndex',
    'exact',
    'Follows from the log, whose sums by day move.',
  ],
  [
    'CronJob ErrorLogs HealthCheckTable ProxyWorkerHeartbeat VerifiedSubject UISettings UserNotifications Lens LensDataset LensIngestionKey LensReview LensRun LensSignalConfig LensTraceSignal LensWorker',
    'exact',
    'Belongs to the work of the old gateway.',
  ],
  [
    'AuditLog DeletedTeamTable DeletedVerificationToken RetiredAgent RetiredAgentIdentity',
    'approximate',
    'History stays in the old database.',
  ],
  ['InvitationLink', 'manual', 'Invite these people again.'],
  ['SSOConfig SSOIdentityAssertion', 'manual', 'Set up the provider under sign_in.'],
  ['JWTKeyMapping', 'manual', 'Tokens of the company as keys are set up under sign_in.'],
  ['ProjectTable', ...PROJECT],
  ['ModelAccessGroupBudgetTable', 'manual', 'Access groups have no budgets here: give the keys budgets by model.'],
  [
    'GuardrailsTable PolicyTable PolicyAttachmentTable DailyGuardrailMetrics DailyGuardrailUsageUnits DailyPolicyMetrics',
    'not_supported',
    'Guardrails do not exist here.',
  ],
  [
    'MCPServerTable MCPServerOAuthClient MCPToolsetTable MCPUserCredentials MCPUserEnvVars ToolTable ObjectPermissionTable SearchToolsTable SkillsTable ClaudeCodePluginTable',
    'not_supported',
    'There is no MCP gateway here.',
  ],
  [
    'AgentsTable AgentIdentity WorkflowEvent WorkflowMessage WorkflowRun MemoryTable BackgroundInteractionSettlement',
    'not_supported',
    'There are no agents here.',
  ],
  [
    'ManagedFileTable ManagedFileContentTable ManagedObjectTable ManagedVectorStoreTable ManagedVectorStoresTable ManagedVectorStoreIndexTable',
    'not_supported',
    'Files, batches and vector stores do not exist here.',
  ],
  ['PromptTable', 'not_supported', 'Prompts are not kept here; a route may have a system prompt.'],
  ['CacheConfig', ...CACHE],
  ['ConfigOverrides', 'manual', 'Set these things here by hand.'],
  [
    'AdaptiveRouterSession AdaptiveRouterState AutoRouterBaselineComparison AutoRouterBaselineObservation AutoRouterSession AutoRouterUserSession ShadowEvalAttempt ShadowEvalFunnel ShadowEvalJob',
    'not_supported',
    'Models are not chosen by the content of a request here.',
  ],
]

const other = (table: string) => OTHERS.find(([names]) => names.split(' ').includes(table.replace(/^LiteLLM_/, '')))
const columnsOf = ({ read, aside = '', lost = {} }: Table): readonly string[] => [
  ...read.split(' '),
  ...aside.split(' '),
  ...Object.keys(lost),
]
const EMPTY = new Set([undefined, '', '{}', '[]', 'null', 'f', 'false', '0'])

/** Yields the rows of a table that moves, and reports what of them is lost. `named`: what a row is called in the report. */
export type Report = (table: string, row: SourceRow, named: string) => void

/** What the database has beyond these lists, and the tables that do not move. */
export async function reportSchema(source: SourceDatabase, findings: Findings): Promise<Report> {
  for (const [table, columns] of source.tables) {
    const moved = MOVED[table]
    if (moved) {
      const known = new Set(columnsOf(moved))
      for (const column of columns) {
        if (!known.has(column))
          findings.add(`${table}.${column}`, 'manual', 'This column is unknown: see what it does there.')
      }
    } else if (table.startsWith('LiteLLM_') && (await hasRows(source, table, [...columns].slice(0, 1)))) {
      const [, grade, says] = other(table) ?? ['', 'manual', 'This table is unknown: see what it is for.']
      findings.add(table, grade as Grade, says)
    }
  }
  return (table, row, named) => {
    findings.add(table, 'exact')
    for (const [column, [grade, says]] of Object.entries(MOVED[table]?.lost ?? {})) {
      if (!EMPTY.has(textOf(row[column]))) findings.add(`${table}.${column}`, grade, says, named)
    }
  }
}

async function hasRows(source: SourceDatabase, table: string, column: readonly string[]): Promise<boolean> {
  for await (const _ of source.rows(table, column, column)) return true
  return false
}

export const isKnown = (table: string, column: string): boolean => {
  const moved = MOVED[table]
  return moved ? columnsOf(moved).includes(column) : other(table) !== undefined
}
