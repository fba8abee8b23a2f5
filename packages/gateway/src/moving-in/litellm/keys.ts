// Keys of LiteLLM: their hashes are those of ours, so that clients change nothing.
import { createHash } from 'node:crypto'
import type { FoundKey, FoundSecret } from '../installation.ts'
import { booleanOf, listOf, nanosOf, objectOf, textOf, timeOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import { type Context, limitsOf, spentOf, tagsIn, textsIn, UNOWNED } from './directory.ts'
import type { FoundModels } from './models.ts'

const TABLE = 'LiteLLM_VerificationToken'
const HASH = /^[0-9a-f]{64}$/
/** Routes that call models, by name or path; the others are LiteLLM's own management. */
const CALLS =
  /^(?:llm_api_routes|openai_routes|anthropic_routes|google_routes|openai_route_names|\*)$|chat|completions|embeddings|messages|responses|images|audio|rerank|moderations|generateContent|videos/
const EVERYTHING = new Set(['all-proxy-models', 'all-team-models', '*'])
const NOTHING = 'no-default-models'

export async function* readKeys(context: Context): AsyncGenerator<FoundKey> {
  const { source, directory, findings, report, now } = context
  for await (const row of source.rows(TABLE, ['token'])) {
    const token = textOf(row.token) ?? ''
    const name = textOf(row.key_alias) || textOf(row.key_name) || ''
    const secret = secretOf(token)
    report(TABLE, row, name)
    if (!secret) {
      findings.add(`${TABLE}.token`, 'manual', 'The row has no hash: make a new key.', name)
      continue
    }
    const { account = UNOWNED, person } = directory.keys.get(token) ?? {}
    const team = directory.teams.get(account.replace(/^team:/, ''))
    const organization = textOf(row.organization_id) ?? team?.organization
    const expiresAt = timeOf(row.expires)
    if (textOf(row.expires) !== undefined && expiresAt === undefined)
      findings.add(`${TABLE}.expires`, 'manual', 'The time cannot be read: the key is disabled.', name)
    const metadata = objectOf(row.metadata) ?? {}
    for (const field of ['model_rpm_limit', 'model_tpm_limit', 'guardrails', 'disable_fallbacks']) {
      if (metadata[field] !== undefined)
        findings.add(`${TABLE}.metadata.${field}`, 'not_supported', 'There is no such limit of single keys here.', name)
    }
    yield {
      id: `key:${token}`,
      account,
      person,
      name,
      secrets: [secret, ...replacedSecrets(directory.replaced.get(token) ?? [], now)],
      lastFour: /^sk-\.\.\.(.{4})$/.exec(textOf(row.key_name) ?? '')?.[1] ?? '',
      group: 'default',
      state: stateOf(row, expiresAt, now),
      expiresAt,
      spent: spentOf(row),
      limits: limitsOf(row, directory.budgets.get(textOf(row.budget_id) ?? '')),
      models: modelsOf(row, account, name, context),
      networks: undefined,
      aliases: { ...team?.aliases, ...textsIn(objectOf(row.aliases)) },
      tags: [
        ...new Set([...tagsIn(row), ...(team?.tags ?? []), ...(organization ? [`organization=${organization}`] : [])]),
      ],
      createdAt: timeOf(row.created_at),
    }
  }
}

/** Very old rows have the key itself. */
function secretOf(token: string): FoundSecret | undefined {
  if (HASH.test(token)) return { hash: Buffer.from(token, 'hex') }
  return token.startsWith('sk-') ? { hash: createHash('sha256').update(token).digest() } : undefined
}

const replacedSecrets = (rows: readonly SourceRow[], now: number): FoundSecret[] =>
  rows.flatMap((row) => {
    const [secret, until] = [secretOf(textOf(row.token) ?? ''), timeOf(row.revoke_at)]
    return secret && until !== undefined && until > now ? [{ ...secret, until }] : []
  })

function stateOf(row: SourceRow, expiresAt: number | undefined, now: number): FoundKey['state'] {
  if (booleanOf(row.blocked) || (textOf(row.expires) !== undefined && expiresAt === undefined)) return 'disabled'
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'live'
}

/** What the key and its account both allow; undefined: everything. */
function modelsOf(
  row: SourceRow,
  account: string,
  name: string,
  { directory, findings }: Context,
): readonly string[] | undefined {
  const owner =
    directory.teams.get(account.replace(/^team:/, '')) ?? directory.people.get(account.replace(/^user:/, ''))
  const budget = nanosOf(row.max_budget) ?? nanosOf(directory.budgets.get(textOf(row.budget_id) ?? '')?.max_budget)
  if (budget === 0n || owner?.stopped) {
    findings.add(`${TABLE}.max_budget`, 'exact', 'A budget of 0 allows nothing: the key may call no model.', name)
    return []
  }
  const routes = listOf(row.allowed_routes ?? null) ?? []
  if (routes.length > 0 && !routes.some((route) => CALLS.test(route))) {
    findings.add(
      `${TABLE}.allowed_routes`,
      'approximate',
      'The key is one for management, and may call no model.',
      name,
    )
    return []
  }
  if (routes.length > 0)
    findings.add(
      `${TABLE}.allowed_routes`,
      'not_supported',
      'Keys are not restricted to routes here: it may call all kinds of models.',
      name,
    )
  const unknown = (model: string) =>
    findings.add(`${TABLE}.models`, 'manual', 'Models that do not move are left out.', `${name}: ${model}`)
  const own = expanded(
    [...(listOf(row.models) ?? []), ...(listOf(row.access_group_ids ?? null) ?? [])],
    directory.models,
    unknown,
  )
  return common(own, expanded(owner?.models ?? [], directory.models, unknown))
}

function expanded(
  names: readonly string[],
  models: FoundModels,
  unknown: (name: string) => void,
): readonly string[] | undefined {
  if (names.length === 0 || names.some((name) => EVERYTHING.has(name))) return undefined
  const found = names.flatMap((name): readonly string[] => {
    const members = models.accessGroups.get(name)
    if (members) return members
    const id = models.aliases.get(name) ?? name
    if (models.ids.has(id)) return [id, ...[...models.ids].filter((each) => covers(id, each))]
    const matching = [...models.ids].filter((each) => covers(name, each) || covers(each, name))
    if (matching.length > 0) return name.includes('*') ? matching.filter((each) => covers(name, each)) : [name]
    if (name !== NOTHING) unknown(name)
    return []
  })
  return [...new Set(found)]
}

const covers = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)))

function common(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  if (!a || !b) return a ?? b
  const inB = a.filter((name) => b.some((each) => covers(each, name)))
  const inA = b.filter((name) => a.some((each) => covers(each, name)))
  return [...new Set([...inB, ...inA])]
}
