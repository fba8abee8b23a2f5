// The log as sums by day, model and key. Rows come in the order of time, so that one day is in memory at once.
import type { FoundUsage } from '../../installation.ts'
import { nanosOfUnits } from '../options.ts'
import { accountId, keyId, personId, type Reader, type Users } from '../reader.ts'
import { COLUMNS, CONSUMED, FAILED, type LogRow, logRow, REFUNDED } from './row.ts'

/** Keys by their number, and by `USER/NAME` where one key has it. */
export type KeyNames = { ids: ReadonlySet<number>; byName: ReadonlyMap<string, number | undefined> }

const DAY_MS = 86_400_000
type Sums = { -readonly [Name in keyof FoundUsage]: FoundUsage[Name] }

export async function* readUsage(reader: Reader, users: Users, keys: KeyNames): AsyncIterable<FoundUsage> {
  const { program, database, options } = reader
  let day = -1
  let sums = new Map<string, Sums>()
  for await (const row of database.rows('logs', ['created_at', 'id'], COLUMNS)) {
    const entry = logRow(row)
    if (entry.type !== CONSUMED && entry.type !== FAILED && entry.type !== REFUNDED) continue
    const dayOfRow = Math.floor(entry.createdAt / DAY_MS)
    if (dayOfRow !== day) {
      yield* sums.values()
      day = dayOfRow
      sums = new Map()
    }
    const key = keyOf(entry, keys)
    const name = JSON.stringify([entry.model, key, entry.user])
    const sum = sums.get(name) ?? newSums(entry, { day, key, users })
    sums.set(name, sum)
    const cost = nanosOfUnits(entry.units, options)
    if (entry.type === REFUNDED) sum.cost -= cost
    else sum.requests += 1
    if (entry.type === FAILED) sum.failed += 1
    if (entry.type !== CONSUMED) continue
    const { input, cached, output } = program.tokens(row, entry)
    sum.inputTokens += input
    sum.cachedTokens += cached
    sum.outputTokens += output
    sum.cost += cost
  }
  yield* sums.values()
}

/** one-api's log names keys by their name alone. */
function keyOf({ token, user, tokenName }: LogRow, { ids, byName }: KeyNames): number | undefined {
  const id = token === undefined || token === 0 ? byName.get(`${user}/${tokenName}`) : token
  return id !== undefined && ids.has(id) ? id : undefined
}

type Whose = { day: number; key: number | undefined; users: Users }

function newSums({ model, user }: LogRow, { day, key, users }: Whose): Sums {
  const isKnown = user !== undefined && users.groups.has(user)
  return {
    day,
    model,
    key: key === undefined ? undefined : keyId(key),
    person: isKnown ? personId(user) : undefined,
    account: isKnown ? accountId(user) : undefined,
    requests: 0,
    failed: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    cost: 0n,
  }
}
