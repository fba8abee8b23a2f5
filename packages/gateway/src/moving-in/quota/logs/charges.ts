// Rows of the log with what they cost, to be compared with the prices here.
import type { FoundCharge, FoundTokens } from '../../installation.ts'
import { inNanos, ONE, over, written } from '../exact.ts'
import type { GroupPlan } from '../groups/plan.ts'
import type { GroupRules } from '../groups/rules.ts'
import { nanosOfUnits } from '../options.ts'
import { type Figures, figureOf, IMPOSSIBLE, type PriceOf, priceOf, type TokenFigures } from '../prices/figures.ts'
import { modelType } from '../prices/model-type.ts'
import type { Reader, Users } from '../reader.ts'
import { COLUMNS, CONSUMED, logRow } from './row.ts'

export const CHANGED = 'The price was another one at that time.'
export const UNPRICED = 'The model has no price now.'

/** Evenly over the log, whose length is not known before: each time there are twice as many as wanted, every second one is dropped. */
export async function* readCharges(
  { program, database, options }: Reader,
  {
    users,
    plan,
    prices,
    rules,
    most,
  }: { users: Users; plan: GroupPlan; prices: PriceOf; rules: GroupRules; most: number },
): AsyncIterable<FoundCharge> {
  const rounding = inNanos(over(ONE, options.unitsPerUsd))
  let kept: FoundCharge[] = []
  let every = 1
  let seen = 0
  for await (const row of database.rows('logs', ['created_at', 'id'], COLUMNS)) {
    const entry = logRow(row)
    if (entry.type !== CONSUMED || entry.model === '') continue
    if (seen++ % every !== 0) continue
    const { group, usage, special } = program.charge(row, entry, { options, prices, rules })
    const userGroup = users.groups.get(entry.user ?? 0) ?? 'default'
    kept.push({
      from: `logs ${entry.id}`,
      model: entry.model,
      group: plan.ofPair(userGroup, group ?? userGroup),
      usage,
      charged: nanosOfUnits(entry.units, options),
      rounding: rounding > 0n ? rounding : 1n,
      special: special ?? unpriced(entry.model, prices),
    })
    if (kept.length < 2 * most) continue
    kept = kept.filter((_, index) => index % 2 === 0)
    every *= 2
  }
  const wanted = Math.min(most, kept.length)
  for (let at = 0; at < wanted; at += 1) {
    const charge = kept[Math.floor((at * kept.length) / wanted)]
    if (charge) yield charge
  }
}

function unpriced(model: string, prices: PriceOf): string | undefined {
  const figures = prices(model)
  if (!figures) return UNPRICED
  return priceOf(figures, { type: modelType(model), name: model, scale: ONE }).price
    ? undefined
    : figures.by === 'call'
      ? IMPOSSIBLE.call
      : UNPRICED
}

/** Whether both price such a request alike, to the last digit that is kept. */
export const isSame = (one: Figures | undefined, other: Figures | undefined, usage: FoundTokens): boolean =>
  signature(one, usage) === signature(other, usage)

function signature(found: Figures | undefined, { cached, cacheWrite, cacheWriteHour }: FoundTokens): string {
  if (found?.by !== 'tokens') return found?.by === 'call' ? `call ${written(found.usd, 9).text}` : (found?.by ?? '')
  const names = ['input', 'output']
  if (cached > 0) names.push('cached_input')
  if (cacheWrite > 0) names.push('cache_write')
  if (cacheWriteHour > 0) names.push('cache_write_1h')
  const tier = (figures: TokenFigures) => names.map((name) => written(figureOf(figures, name), 9).text)
  return JSON.stringify([tier(found.figures), ...found.long.map(({ above, figures }) => [above, tier(figures)])])
}

const NAMES = [
  'input',
  'cached',
  'cacheWrite',
  'cacheWriteHour',
  'output',
  'reasoning',
  'audioInput',
  'audioOutput',
  'images',
] as const
export const NO_TOKENS = { ...Object.fromEntries(NAMES.map((name) => [name, 0])), requests: 1 } as FoundTokens
