// Requests as an account in daily use makes them: more by day than by night and on weekends, all outcomes, receipts whose formula
// gives the cost. The same seed gives the same requests. Pure.
import type { Nanos } from '../../packages/gateway/src/money/amount.ts'
import { recompute } from '../../packages/gateway/src/money/prices/receipt.ts'
import { type Random, seeded } from '../simulation/random.ts'

/** Nano-USD per million tokens. `upstream`: FILLED_UPSTREAM by default. `cost`: what its upstream takes; absent: not known. */
export type FilledModel = Tokens & { id: string; upstream?: string; cost?: Tokens }
type Tokens = { input: bigint; output: bigint }

export type MadeRequest = {
  at: number
  /** Its place among the account's keys. */
  key: number
  model: string
  upstream: string
  held: Nanos
  cost: Nanos
  /** undefined: not known. */
  upstreamCost: Nanos | undefined
  tokens: number
  /** Until the first token; undefined: none came. */
  firstTokenMs: number | undefined
  totalMs: number
  outcome: string
  /** How the ledger ends it. `reap`: its node died. */
  end: 'settle' | 'void' | 'reap'
  receipt: string
}

/** What a key's group is called, and pays. */
export type FilledGroup = { id: string; multiplierMillionths: bigint }
export type Use = {
  from: number
  until: number
  requests: number
  /** The group of each. */
  keys: readonly FilledGroup[]
  models: readonly FilledModel[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
export const FILLED_UPSTREAM = 'demo'

/** Shares of a thousand; the rest are completed. */
const OUTCOMES: readonly [outcome: string, end: MadeRequest['end'], share: number][] = [
  ['client_disconnected', 'settle', 20],
  ['incomplete', 'settle', 14],
  ['failed', 'void', 12],
  ['content_filtered', 'settle', 5],
  ['timeout', 'void', 5],
  ['cut', 'settle', 4],
  ['stopped_by_balance', 'settle', 2],
  ['shutdown', 'void', 2],
  ['cancelled', 'void', 1],
  ['expired', 'void', 1],
  ['reaped', 'reap', 1],
]
const FINISHES: Readonly<Record<string, string>> = {
  completed: 'stop',
  incomplete: 'length',
  content_filtered: 'filter',
}

/** Oldest first. */
export function makeRequests({ from, until, requests, keys, models }: Use, seed = 1): MadeRequest[] {
  const random = seeded(seed)
  const times = Array.from({ length: requests }, () => timeBetween(from, until, random)).sort((one, two) => one - two)
  return times.map((at) => {
    // The first keys are used most, and the last ones still are.
    const key = Math.floor(keys.length * fraction(random) ** 2)
    const group = keys[key]
    const model = models[Math.floor(models.length * fraction(random) ** 1.5)]
    if (!model || !group) throw new Error('no models, or no keys')
    return { at, key, ...makeRequest(model, group, random) }
  })
}

const fraction = (random: Random): number => random.below(1_000_000) / 1_000_000

function timeBetween(from: number, until: number, random: Random): number {
  for (;;) {
    const at = from + Math.floor(fraction(random) * (until - from))
    const hour = (at % DAY_MS) / HOUR_MS
    const isWeekend = [0, 6].includes(new Date(at).getUTCDay())
    const byHour = 0.15 + 0.85 * Math.exp(-(((hour - 13) / 5) ** 2))
    const growth = 0.5 + (0.5 * (at - from)) / (until - from)
    if (random.chance(byHour * growth * (isWeekend ? 0.35 : 1))) return at
  }
}

function makeRequest(model: FilledModel, group: FilledGroup, random: Random): Omit<MadeRequest, 'at' | 'key'> {
  const [outcome, end] = outcomeOf(random)
  const input = 40 + Math.floor(12_000 * fraction(random) ** 3)
  const output = 5 + Math.floor(3_000 * fraction(random) ** 2)
  const firstTokenMs = random.between(180, 1_400)
  const isCharged = end === 'settle'
  const totalMs = isCharged ? firstTokenMs + output * random.between(6, 14) : random.between(200, 30_000)
  const units = { input, output }
  const price = {
    version: 'filled',
    input: String(model.input),
    output: String(model.output),
    multiplier_millionths: String(group.multiplierMillionths),
  }
  const cost = isCharged ? recompute({ units, price }) : 0n
  const receipt = {
    group: group.id,
    upstream_model: model.id,
    ...(random.chance(0.03) && isCharged
      ? { attempts: [failedAttempt(model)], upstream: FILLED_UPSTREAM, model: model.id }
      : {}),
    ...(isCharged ? { units, finish: FINISHES[outcome], first_token_ms: firstTokenMs } : {}),
    total_ms: totalMs,
    ...(random.chance(0.02) ? { warnings: ['dropped;field=logit_bias'] } : {}),
    ...(isCharged ? { price } : {}),
  }
  const own = model.cost && { input: String(model.cost.input), output: String(model.cost.output) }
  return {
    model: model.id,
    upstreamCost:
      own && isCharged
        ? recompute({ units, price: { version: 'filled', multiplier_millionths: '1000000', ...own } })
        : undefined,
    upstream: model.upstream ?? FILLED_UPSTREAM,
    outcome,
    end,
    cost,
    tokens: isCharged ? input + output : 0,
    firstTokenMs: isCharged ? firstTokenMs : undefined,
    totalMs,
    held: recompute({ units: { input, output: 4_096 }, price }),
    receipt: JSON.stringify(receipt),
  }
}

const failedAttempt = ({ id }: FilledModel) => ({ upstream: 'spare', model: id, outcome: 'http_503' })

function outcomeOf(random: Random): [outcome: string, end: MadeRequest['end']] {
  let place = random.below(1_000)
  for (const [outcome, end, share] of OUTCOMES) {
    if (place < share) return [outcome, end]
    place -= share
  }
  return ['completed', 'settle']
}
