// Databases that the products wrote themselves, with what is in them: the folder that TRIVIUM_SWITCHING names, if it is there.
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { all, assembled, type QuotaProduct, readQuota, reported } from '../../../test-support/quota-database.ts'
import { hashSecret } from '../../access/authenticate.ts'
import { formatUsd, type Nanos, parseUsd } from '../../money/amount.ts'
import type { FoundConfiguration, FoundTokens } from '../installation.ts'
import { openSource } from '../sources/open-source.ts'
import { UNKNOWN_COLUMN, UNKNOWN_TABLE } from './columns.ts'
import { NO_TOKENS } from './logs/charges.ts'
import { UNKNOWN_OPTION } from './options.ts'
import { IMPOSSIBLE } from './prices/figures.ts'

const FOLDER = process.env.TRIVIUM_SWITCHING ?? ''
const SAMPLES = (['new-api', 'one-api'] as const).flatMap((product) =>
  [`${product}.sqlite`, `postgres/${product}.sql`, `mysql/${product}.sql`].map((file) => ({ product, file })),
)
const isThere = FOLDER !== '' && existsSync(FOLDER)

type Facts = {
  users: {
    username: string
    password: string | null
    state: string
    role: number
    balance_usd: string
    spent_usd: string
  }[]
  keys: {
    key: string
    state: string
    works: boolean
    expires_at: string | null
    models: string[] | null
    ips: string[] | null
    max_budget_usd: string | null
    spent_usd: string
    left_usd: string | null
    effective_group: string
    refused_for: string
  }[]
  codes: { code: string; usd: string; state: string; expires_at: string | null }[]
  prices: {
    model: string
    key: number
    usage: { prompt_tokens: number; completion_tokens: number; cached_tokens: number }
    usd: string
    product_charged_usd: string
  }[]
  price_per_million: { model: string; input_usd: string; output_usd: string | null; cached_usd?: string }[]
  group_ratio: Record<string, number>
  totals: { log_quota_usd: string }
}

const usd = (text: string): Nanos => parseUsd(text) ?? 0n
const hexOf = (secret: string): string => hashSecret(secret).toString('hex')

if (isThere) for (const sample of SAMPLES) describeSample(sample)
else test('without the folder there is nothing to read', () => expect(isThere).toBe(false))

function describeSample({ product, file }: { product: QuotaProduct; file: string }): void {
  const place = join(FOLDER, product, file)
  const facts = JSON.parse(readFileSync(join(place, '..', 'facts.json'), 'utf8')) as Facts
  const opened = openSource(place, mkdtempSync(join(tmpdir(), 'trivium-sample-')))
  const reading = opened.then((database) => readQuota(product, database, Date.parse('2026-11-18T17:00:00Z')))

  describe(`${product} in ${file}`, () => {
    test('people have their passwords, states and balances', async () => {
      const found = await reading
      const people = new Map((await all(found.people())).map((person) => [person.name, person]))
      const accounts = new Map((await all(found.accounts())).map((account) => [account.name, account]))
      expect(people.size).toBe(facts.users.length)
      for (const user of facts.users) {
        const [person, account] = [people.get(user.username), accounts.get(user.username)]
        const isBoundless = product === 'one-api' && user.role === 100
        expect(account?.balance).toBe(isBoundless ? undefined : usd(user.balance_usd))
        expect(account?.spent).toBe(usd(user.spent_usd))
        expect([person?.disabled, account?.disabled]).toEqual([user.state !== 'live', user.state !== 'live'])
        expect(person?.role).toBe(user.role > 1 ? 'admin' : undefined)
        const isVerified = await Bun.password.verify(user.password ?? '', person?.password?.hash ?? (await NOBODY))
        expect(isVerified).toBe(user.password !== null && user.state !== 'deleted')
      }
    })

    test('keys work or not as they do there, with caps, limits and groups', async () => {
      const found = await reading
      const accounts = new Map((await all(found.accounts())).map((account) => [account.id, account]))
      const caps = new Map((await all(found.budgets())).map((cap) => [cap.key, cap]))
      const keys = new Map(
        (await all(found.keys())).map((key) => [Buffer.from(key.secrets[0].hash).toString('hex'), key]),
      )
      const isMoved = ({ state }: { state: string }) => state !== 'deleted'
      expect(keys.size).toBe(facts.keys.filter(isMoved).length)
      for (const fact of facts.keys) {
        const key = keys.get(hexOf(fact.key))
        expect(key !== undefined).toBe(isMoved(fact))
        if (!key) continue
        expect(Buffer.from(key.secrets[1]?.hash ?? '').toString('hex')).toBe(hexOf(fact.key.slice(3)))
        const cap = caps.get(key.id)
        expect(cap ? formatUsd(cap.amount) : null).toBe(
          fact.max_budget_usd === null ? null : formatUsd(usd(fact.max_budget_usd)),
        )
        expect(key.spent).toBe(usd(fact.spent_usd))
        expect(cap ? cap.amount - cap.spentNow : null).toBe(fact.left_usd === null ? null : usd(fact.left_usd))
        expect(key.expiresAt ?? null).toBe(fact.expires_at === null ? null : Date.parse(fact.expires_at))
        expect([key.models ?? null, key.networks ?? null]).toEqual([fact.models, fact.ips])
        expect(key.group).toBe(fact.effective_group)
        const account = accounts.get(key.account)
        const isPaid = account?.balance === undefined || account.balance > 0n
        const isCapped = cap !== undefined && cap.amount <= cap.spentNow
        const isHere = key.networks?.includes('127.0.0.0/8') ?? true
        expect(key.state === 'live' && !account?.disabled && isPaid && !isCapped && isHere).toBe(fact.works)
      }
    })

    test('codes that are unused are carried over, and no others', async () => {
      const found = await reading
      const codes = await all(found.codes())
      const expected = facts.codes.filter(({ state }) => state === 'unused')
      expect(
        new Map(codes.map((code) => [Buffer.from(code.hash).toString('hex'), [code.amount, code.expiresAt ?? null]])),
      ).toEqual(
        new Map(
          expected.map((code) => [
            hexOf(code.code),
            [usd(code.usd), code.expires_at ? Date.parse(code.expires_at) : null],
          ]),
        ),
      )
    })

    test('requests cost what they cost there', async () => {
      const found = await reading
      const { configuration } = found
      for (const { model, input_usd, output_usd, cached_usd } of facts.price_per_million) {
        const price = priceIn(configuration, model)
        // The file has no figures for what is charged by an expression.
        if (!price || output_usd === null) continue
        expect([price.input, price.output].map(usdOf)).toEqual([input_usd, output_usd].map(usdOf))
        if (cached_usd) expect(usdOf(price.cached_input ?? price.input)).toBe(usdOf(cached_usd))
      }
      const keys = new Map((await all(found.keys())).map((key) => [key.id, key.group]))
      let compared = 0
      for (const { model, key, usage, usd: exact, product_charged_usd } of facts.prices) {
        const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached } = usage
        const cost = costIn(
          configuration,
          { model, group: keys.get(`token:${key}`) ?? '' },
          { ...NO_TOKENS, input, output, cached },
        )
        if (cost === undefined) continue
        compared += 1
        expect({ model, cost: roundedNanos(cost) }).toEqual({ model, cost: usd(exact) })
        expect(distance(cost, usd(product_charged_usd))).toBeLessThan(2_000)
      }
      expect(compared).toBeGreaterThan(facts.prices.length / 2)
    })

    test('every row of the log is explained by the price here, or has a cause that is named', async () => {
      const found = await reading
      const charges = await all(found.charges(10_000))
      expect(charges.length).toBeGreaterThan(200)
      for (const { model, group, usage, charged, rounding, special } of charges) {
        const cost = costIn(found.configuration, { model, group }, usage)
        if (cost === undefined) expect(special).toBe(IMPOSSIBLE.call)
        else
          expect({ model, group, special, isNear: distance(cost, charged) < Number(rounding) }).toEqual({
            model,
            group,
            special: undefined,
            isNear: true,
          })
      }
      const some = await all(found.charges(10))
      expect(some).toHaveLength(10)
      const sum = (await all(found.usage())).reduce((total, { cost }) => total + cost, 0n)
      expect(sum).toBe(usd(facts.totals.log_quota_usd))
    })

    test('the configuration has no mistakes, and everything of the source is known', async () => {
      const found = await reading
      const { config, mistakes } = assembled(found.configuration)
      expect(mistakes).toEqual([])
      expect(config?.models.size).toBeGreaterThan(10)
      for (const [group, ratio] of Object.entries(facts.group_ratio)) {
        expect(config?.groups.get(group)?.multiplierMillionths).toBe(BigInt(Math.round(ratio * 1e6)))
      }
      await all(found.people())
      await all(found.codes())
      const said = found.findings.all().map(({ says }) => says)
      for (const unknown of [UNKNOWN_TABLE, UNKNOWN_COLUMN, UNKNOWN_OPTION]) expect(said).not.toContain(unknown)
      expect(found.findings.all().filter(({ path }) => path === 'abilities')).toEqual([])
      // No secret of the source is in the report.
      expect(reported(found).join('\n')).not.toMatch(/sk-|\$2a\$|epay-merchant/)
      await (await opened).close()
    })
  })
}

const NOBODY = Bun.password.hash('x', { algorithm: 'bcrypt', cost: 4 })
const usdOf = (text: string): string => formatUsd(usd(text))

type Price = Readonly<Record<string, string>> & { input: string; output: string }
const priceIn = ({ models }: FoundConfiguration, model: string): Price | undefined =>
  models.find(({ id }) => id === model)?.value.price as Price | undefined

/** In 10^-15 nano-USD: a million tokens, and six decimals of the group. */
function costIn(
  configuration: FoundConfiguration,
  { model, group }: { model: string; group: string },
  usage: FoundTokens,
): bigint | undefined {
  const entry = configuration.groups.find(({ id }) => id === group)?.value as
    | { multiplier: string; prices?: Record<string, Price> }
    | undefined
  const own = entry?.prices?.[model]
  const price = own ?? priceIn(configuration, model)
  if (!price || !entry) return undefined
  const figure = (...names: string[]) => usd(names.map((name) => price[name]).find((each) => each !== undefined) ?? '0')
  const fresh = usage.input - usage.cached - usage.cacheWrite - usage.cacheWriteHour
  const sum =
    BigInt(fresh) * figure('input') +
    BigInt(usage.cached) * figure('cached_input', 'input') +
    BigInt(usage.cacheWrite) * figure('cache_write', 'input') +
    BigInt(usage.cacheWriteHour) * figure('cache_write_1h', 'cache_write', 'input') +
    BigInt(usage.output) * figure('output')
  return sum * (own ? 1_000_000n : usd(entry.multiplier) / 1_000n)
}
const SCALE = 1_000_000_000_000n
const roundedNanos = (cost: bigint): Nanos => (2n * cost + SCALE) / (2n * SCALE)
const distance = (cost: bigint, nanos: Nanos): number => Math.abs(Number(cost - nanos * SCALE) / Number(SCALE))
