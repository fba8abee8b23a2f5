// A whole installation that LiteLLM itself wrote, where the folder that TRIVIUM_SWITCHING names is there: it is not part of the project.
import { afterAll, describe, expect, test } from 'bun:test'
import { createHash, scryptSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { assemble } from '../../config/assemble.ts'
import type { StoredEntry } from '../../config/stored.ts'
import { formatUsd, NANOS_PER_USD, type Nanos } from '../../money/amount.ts'
import { NO_OPTIONS, ONE, priceOf, rateOf, type TokenPrice } from '../../money/prices/token-price.ts'
import { BUILT_IN } from '../../server/config.ts'
import { createFindings } from '../findings.ts'
import type { FoundBudget, FoundEntry, FoundKey, Installation } from '../installation.ts'
import { openSource } from '../sources/open-source.ts'
import type { SourceDatabase } from '../sources/source-database.ts'
import { validConfiguration } from '../valid-configuration.ts'
import { isKnown } from './known.ts'
import { readLitellm } from './read.ts'

type Facts = Record<string, never> & {
  as_of: string
  environment: Record<string, string>
  users: { id: string; email: string | null; role: string; password: string | null; left_usd: string | null }[]
  teams: {
    id: string
    name: string
    spent_usd: string
    left_usd: string | null
    blocked: boolean
    members: unknown[]
  }[]
  end_users: { id: string; max_budget_usd: string | null; spent_usd: string }[]
  tags: { name: string; max_budget_usd: string | null; spent_usd: string }[]
  keys: Fact[]
  prices: { model: string; key: string; usage: Record<string, number>; usd: string }[]
  encrypted: { models: { litellm_params: Record<string, unknown> }[]; credentials: { credential_values: object }[] }
  totals: { keys: number; spend_logs: number; spend_logs_usd: string }
}
type Fact = Readonly<Record<'id' | 'name' | 'key' | 'state', string>> & {
  works: boolean
  probe_model: string | null
  forbidden_model: string | null
  active_key_of?: string
  account?: { user?: string; team?: string; left_usd: string | null }
  budget_windows: { max_budget: number; budget_duration: string }[] | null
} & Readonly<Record<'expires_at' | 'max_budget_usd' | 'spent_usd' | 'left_usd' | 'period', string | null>> &
  Readonly<Record<'rpm' | 'tpm' | 'concurrent', number | null>>

const folder = join(process.env.TRIVIUM_SWITCHING ?? '/nowhere', 'litellm')
if (existsSync(folder)) {
  describe('the sample', () => {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    const facts: Facts = JSON.parse(read('facts.json'))
    const copies = mkdtempSync(join(tmpdir(), 'sample-'))
    const now = Date.parse(facts.as_of)
    const sources: SourceDatabase[] = []
    afterAll(async () => {
      for (const source of sources) await source.close()
      rmSync(copies, { recursive: true })
    })

    async function load(priceMap?: string) {
      const source = await openSource(join(folder, 'litellm.sql'), copies)
      sources.push(source)
      const files = { config: read('config.yaml'), priceMap, environment: facts.environment }
      const found = await readLitellm(source, files, { version: '', now })
      const [people, accounts] = [await all(found.people()), await all(found.accounts())]
      const [keys, budgets] = [await all(found.keys()), await all(found.budgets())]
      return { source, found, people, accounts, keys, budgets }
    }
    const loaded = load(read('price_map.json'))
    const keyOf = (keys: readonly FoundKey[], secret: string) => {
      const hash = createHash('sha256').update(secret).digest('hex')
      return keys.find(({ secrets }) => secrets.some((each) => Buffer.from(each.hash).toString('hex') === hash))
    }
    const left = (budget: FoundBudget | undefined) => (budget ? nine(budget.amount - budget.spentNow) : null)

    test('every key has its state, models, limits, budgets and what is left of them', async () => {
      const { found, keys, accounts, budgets } = await loaded
      expect(keys).toHaveLength(facts.totals.keys)
      for (const fact of facts.keys) {
        const key = keyOf(keys, fact.key)
        if (!key || fact.active_key_of !== undefined) {
          // Deleted keys and replaced ones that work no more are gone.
          expect([fact.name, key?.name]).toEqual([fact.name, fact.works ? (fact.active_key_of as string) : undefined])
          continue
        }
        const ofKey = budgets.filter((budget) => budget.kind === 'key' && budget.key === key.id)
        const ofAccount = budgets.find(({ kind, account }) => kind === 'account' && account === key.account)
        const account = accounts.find(({ id }) => id === key.account)
        const own = ofKey.find(({ id }) => id === key.id)
        const isStopped = [own, ofAccount].some((budget) => budget?.hard && budget.spentNow >= budget.amount)
        expect<unknown>({
          name: key.name,
          state: key.state,
          works: key.state === 'live' && key.models?.length !== 0 && !account?.disabled && !isStopped,
          account: key.account,
          expires: key.expiresAt,
          spent: nine(key.spent),
          left: left(own),
          period: own?.period ?? null,
          accountLeft: left(ofAccount),
          limits: Object.values(key.limits),
          windows: ofKey.filter(({ id }) => /:\d+d$/.test(id)).map(({ amount, period }) => [amount, period]),
        }).toEqual({
          name: fact.name,
          state: fact.state === 'blocked' ? 'disabled' : (fact.state as FoundKey['state']),
          works: fact.works,
          account: accountOf(fact),
          expires: fact.expires_at === null ? undefined : Date.parse(fact.expires_at),
          spent: fact.spent_usd ?? '',
          left: fact.max_budget_usd === '0.000000000' ? null : fact.left_usd,
          period: fact.left_usd === '0.000000000' ? null : fact.period?.startsWith('odd') ? 'hours' : fact.period,
          accountLeft: fact.account?.left_usd ?? null,
          limits: [fact.rpm, fact.tpm, fact.concurrent].map((limit) => limit ?? undefined),
          windows: (fact.budget_windows ?? []).map(({ max_budget, budget_duration }) => [
            BigInt(max_budget) * NANOS_PER_USD,
            budget_duration === '1d' ? 'day' : 'month',
          ]),
        })
        const mayCall = (asked: string) => {
          const id = idOf(found.configuration.models, key.aliases[asked] ?? asked)
          return key.models === undefined || key.models.includes(id)
        }
        if (fact.works && fact.probe_model) expect([fact.name, mayCall(fact.probe_model)]).toEqual([fact.name, true])
        if (fact.forbidden_model) expect([fact.name, mayCall(fact.forbidden_model)]).toEqual([fact.name, false])
      }
    })

    test('windows of several days have what was spent in each', async () => {
      const { keys, budgets } = await loaded
      const key = keys.find(({ name }) => name === 'two-windows')
      const spent = budgets.filter((budget) => budget.key === key?.id).map(({ spentNow }) => spentNow)
      expect(spent).toEqual([60_000n, 60_000n])
    })

    test('people sign in with their passwords, and teams, tags and end users have their budgets', async () => {
      const { people, accounts, budgets } = await loaded
      const users = facts.users.filter(({ id }) => id !== 'default_user_id')
      expect(people.map(({ id }) => id).sort()).toEqual(users.map(({ id }) => `user:${id}`).sort())
      for (const user of users) {
        const person = people.find(({ id }) => id === `user:${user.id}`)
        expect([person?.email, person?.role]).toEqual([
          user.email ?? undefined,
          user.role === 'proxy_admin' ? 'admin' : undefined,
        ])
        expect(person?.password !== undefined && verifies(person.password.hash, user.password ?? '')).toBe(
          user.password !== null,
        )
        expect(left(budgets.find(({ id }) => id === `user:${user.id}`))).toBe(user.left_usd)
      }
      for (const team of facts.teams) {
        const account = accounts.find(({ id }) => id === `team:${team.id}`)
        expect([account?.name, account?.disabled, nine(account?.spent ?? -1n)]).toEqual([
          team.name,
          team.blocked,
          team.spent_usd,
        ])
        expect(left(budgets.find(({ id }) => id === `team:${team.id}`))).toBe(team.left_usd)
      }
      for (const { id, max_budget_usd, spent_usd } of facts.end_users) {
        const found = budgets.filter(({ kind, value }) => kind === 'end_user' && value === id)
        expect(
          found.every(({ amount, spentNow }) => nine(amount) === max_budget_usd && nine(spentNow) === spent_usd),
        ).toBe(true)
        expect(found.length > 0).toBe(max_budget_usd !== null)
      }
      for (const { name, max_budget_usd, spent_usd } of facts.tags) {
        const found = budgets.find(({ kind, value }) => kind === 'tag' && value === name)
        expect(found ? [nine(found.amount), nine(found.spentNow)] : [null, spent_usd]).toEqual([
          max_budget_usd,
          spent_usd,
        ])
      }
    })

    test('encrypted values are those that were stored', async () => {
      const { found } = await loaded
      const keys = found.configuration.upstreams.flatMap(({ value }) => (value.keys ?? []) as string[])
      for (const {
        litellm_params: { api_key = keys[0] },
      } of facts.encrypted.models)
        expect(keys).toContain(String(api_key))
      for (const { credential_values } of facts.encrypted.credentials) {
        const { api_key, api_base } = credential_values as Record<string, string>
        expect(found.configuration.upstreams.find(({ value }) => value.base_url === api_base)?.value.keys).toEqual([
          api_key as string,
        ])
      }
    })

    test('another salt key stops the reading', async () => {
      const source = await openSource(join(folder, 'litellm.sql'), copies)
      sources.push(source)
      const files = { config: read('config.yaml'), saltKey: 'sk-other', environment: {} }
      await expect(readLitellm(source, files, { version: '', now })).rejects.toThrow('the salt key is another one')
    })

    test.each([
      ['with the price map', true],
      ['without it, from the log', false],
    ] as const)('prices %s', async (_, hasMap) => {
      const { found, keys } = hasMap ? await loaded : await load()
      const prices = pricesIn(found)
      for (const { model, key: name, usage, usd } of facts.prices) {
        const key = keyOf(keys, facts.keys.find(({ id }) => id === name)?.key ?? '')
        const price = prices.get(idOf(found.configuration.models, key?.aliases[model] ?? model))
        if (!price) throw new Error(`${model} has no price`)
        const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached } = usage
        const cost = costOf(price, { input, output, cachedInput: cached, cacheWrite: 0, reasoning: 0, absurd: false })
        expect([model, nine(cost)]).toEqual([model, usd])
      }
      for await (const charge of found.charges(1_000)) {
        const price = prices.get(idOf(found.configuration.models, charge.model))
        if (!price) throw new Error(`${charge.model} has no price`)
        const { input, output, cached, cacheWrite, reasoning } = charge.usage
        const cost = costOf(price, { input, output, cachedInput: cached, cacheWrite, reasoning, absurd: false })
        expect([charge.from, charge.special, cost]).toEqual([charge.from, undefined, charge.charged])
      }
    })

    test('usage adds up to the log', async () => {
      const { found } = await loaded
      const usage = await all(found.usage())
      expect(usage.reduce((sum, { requests }) => sum + requests, 0)).toBe(facts.totals.spend_logs)
      expect(nine(usage.reduce((sum, { cost }) => sum + cost, 0n))).toBe(facts.totals.spend_logs_usd)
    })

    test('every column is known, and no secret is in the report', async () => {
      const { source, found } = await loaded
      const columns = [...source.tables].flatMap(([table, names]) => [...names].map((name) => [table, name] as const))
      expect(columns.filter(([table, column]) => !isKnown(table, column))).toEqual([])
      const report = JSON.stringify(found.findings.all())
      const secrets = [
        ...facts.keys.map(({ key }) => key),
        ...Object.values(facts.environment),
        'sk-db-secret',
        'secret-in-the-database',
      ]
      expect(secrets.filter((secret) => secret && report.includes(secret))).toEqual([])
      expect(found.findings.all().filter(({ says }) => says.includes('unknown'))).toEqual([])
    })
  })
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** With nine decimals, as the facts have it. */
function nine(nanos: Nanos): string {
  const [whole, fraction = ''] = formatUsd(nanos).split('.')
  return `${whole}.${fraction.padEnd(9, '0')}`
}

function accountOf({ account }: Fact): string {
  if (account?.team) return `team:${account.team}`
  return account?.user ? `user:${account.user}` : 'unowned'
}

const idOf = (models: readonly FoundEntry[], name: string): string =>
  models.find(({ value }) => (value.aliases as string[] | undefined)?.includes(name))?.id ?? name

function verifies(hash: string, password: string): boolean {
  const bytes = Buffer.from(hash.slice('scrypt:'.length), 'base64')
  return scryptSync(password, bytes.subarray(0, 16), 32, { N: 16_384, r: 8, p: 1 }).equals(bytes.subarray(16))
}

/** Embeddings have a price of input alone. */
const costOf = ({ input, ...others }: TokenPrice, usage: Usage): Nanos => {
  const none: Partial<TokenPrice> = { output: 0n, cachedInput: input, cacheWrite: input }
  return priceOf(usage, rateOf({ input, ...none, ...others }, ONE), NO_OPTIONS).cost
}

/**
 * By the real reader of the configuration, to which one thing is a mistake: a header that asks for a long context without a price.
 * Wildcards and aliases are left out: no price is theirs.
 */
function pricesIn({ configuration }: Installation): Map<string, TokenPrice> {
  const findings = createFindings()
  const models = configuration.models.flatMap(({ id, from, value: { aliases, ...value } }) =>
    id.includes('*') ? [] : [{ id, from, value }],
  )
  const valid = validConfiguration({ ...configuration, models }, BUILT_IN, findings)
  expect(findings.all().map(({ rows, says }) => [...rows, says])).toEqual([
    ['db-claude', expect.stringContaining('sets anthropic-beta to what needs the price long_context')],
  ])
  const entries = (kind: StoredEntry['kind'], list: readonly FoundEntry[]) =>
    list.map(({ id, value }): StoredEntry => ({ kind, id, value, revision: 1 }))
  const stored = [...entries('upstream', valid.upstreams), ...entries('model', valid.models)]
  const result = assemble({ source: '', file: 'f', env: {}, stored }, BUILT_IN)
  return new Map([...(result.config?.models ?? [])].map(([id, { price }]) => [id, price as unknown as TokenPrice]))
}
