// What the rows of LiteLLM refer to: budgets, people, teams, organizations, and which account each key is of.
import type { Nanos } from '../../money/amount.ts'
import type { Findings } from '../findings.ts'
import type { SourceId } from '../installation.ts'
import { integerOf, listOf, nanosOf, objectOf, textOf } from '../sources/fields.ts'
import type { SourceDatabase, SourceRow } from '../sources/source-database.ts'
import type { Report } from './known.ts'
import type { FoundModels } from './models.ts'

export type Directory = {
  models: FoundModels
  budgets: ReadonlyMap<string, SourceRow>
  /** Ids of people, with the models that their own keys may call. */
  people: ReadonlyMap<string, Owner>
  teams: ReadonlyMap<string, Team>
  /** What replaced keys still work, by the key. */
  replaced: ReadonlyMap<string, readonly SourceRow[]>
  keys: ReadonlyMap<string, { account: SourceId; person: SourceId | undefined }>
  /** What the keys of an account have spent in all. */
  spent: ReadonlyMap<SourceId, Nanos>
}
/** `stopped`: its budget is 0, which allows nothing. */
type Owner = { models: readonly string[]; stopped: boolean }
export type Team = Owner & {
  organization: string | undefined
  aliases: Record<string, string>
  tags: readonly string[]
}
export type Context = { source: SourceDatabase; directory: Directory; findings: Findings; report: Report; now: number }

/** LiteLLM's own: the user of the master key, and the row of the budget of everything. */
export const NO_PERSON: ReadonlySet<string> = new Set(['default_user_id', 'litellm-proxy-budget'])
export const UNOWNED: SourceId = 'unowned'

export async function readDirectory(
  source: SourceDatabase,
  models: FoundModels,
  { findings, report }: { findings: Findings; report: Report },
): Promise<Directory> {
  const rowsBy = async (table: string, key: string, columns?: readonly string[]) => {
    const found = new Map<string, SourceRow>()
    for await (const row of source.rows(table, [key], columns)) found.set(textOf(row[key]) ?? '', row)
    return found
  }
  const budgets = await rowsBy('LiteLLM_BudgetTable', 'budget_id')
  for (const [id, row] of budgets) report('LiteLLM_BudgetTable', row, id)
  const people = new Map<string, Owner>()
  for (const [id, row] of await rowsBy('LiteLLM_UserTable', 'user_id', ['user_id', 'models', 'max_budget'])) {
    if (!NO_PERSON.has(id))
      people.set(id, { models: listOf(row.models) ?? [], stopped: nanosOf(row.max_budget) === 0n })
  }
  const aliases = await rowsBy('LiteLLM_ModelTable', 'id')
  for (const [id, row] of aliases) report('LiteLLM_ModelTable', row, id)
  const teams = new Map<string, Team>()
  for (const [id, row] of await rowsBy('LiteLLM_TeamTable', 'team_id')) {
    teams.set(id, {
      models: [...(listOf(row.models) ?? []), ...(listOf(row.access_group_ids) ?? [])],
      stopped: nanosOf(row.max_budget) === 0n,
      organization: textOf(row.organization_id),
      aliases: textsIn(objectOf(aliases.get(textOf(row.model_id) ?? '')?.aliases)),
      tags: tagsIn(row),
    })
  }
  const replaced = new Map<string, SourceRow[]>()
  for await (const row of source.rows('LiteLLM_DeprecatedVerificationToken', ['id'])) {
    report('LiteLLM_DeprecatedVerificationToken', row, textOf(row.id) ?? '')
    const active = textOf(row.active_token_id) ?? ''
    replaced.set(active, [...(replaced.get(active) ?? []), row])
  }
  const keys = new Map<string, { account: SourceId; person: SourceId | undefined }>()
  const spent = new Map<SourceId, Nanos>()
  for await (const row of source.rows(
    'LiteLLM_VerificationToken',
    ['token'],
    ['token', 'user_id', 'team_id', 'spend', 'total_spend'],
  )) {
    const [user = '', team = ''] = [textOf(row.user_id), textOf(row.team_id)]
    const person = people.has(user) ? `user:${user}` : undefined
    const account = teams.has(team) ? `team:${team}` : (person ?? UNOWNED)
    keys.set(textOf(row.token) ?? '', { account, person })
    spent.set(account, (spent.get(account) ?? 0n) + spentOf(row))
  }
  for (const id of replaced.keys()) {
    if (!keys.has(id))
      findings.add('LiteLLM_DeprecatedVerificationToken', 'manual', 'The key that replaced it is not there.')
  }
  return { models, budgets, people, teams, replaced, keys, spent }
}

/** In all, where that is kept, and never less than of the open window. */
export function spentOf(row: SourceRow): Nanos {
  const [total, open] = [nanosOf(row.total_spend ?? null) ?? 0n, nanosOf(row.spend ?? null) ?? 0n]
  return total > open ? total : open
}

export const limitsOf = (row: SourceRow, budget?: SourceRow) => {
  const limit = (column: string) => integerOf(row[column]) ?? integerOf(budget?.[column])
  return {
    requestsPerMinute: limit('rpm_limit'),
    tokensPerMinute: limit('tpm_limit'),
    concurrent: limit('max_parallel_requests'),
  }
}

export const textsIn = (value: object | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value ?? {}).filter((each): each is [string, string] => typeof each[1] === 'string'),
  )

export function tagsIn(row: SourceRow): readonly string[] {
  const tags = objectOf(row.metadata)?.tags
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}
