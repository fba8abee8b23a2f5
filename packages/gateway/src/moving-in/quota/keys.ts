// Tokens: keys with the hashes of what clients send, and their caps.
import { hashSecret } from '../../access/authenticate.ts'
import { networkErrors } from '../../access/origin.ts'
import { MAX_AMOUNT, type Nanos } from '../../money/amount.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import type { FoundBudget, FoundKey } from '../installation.ts'
import { booleanOf, integerOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import { reportedRows, rowOf } from './columns.ts'
import { bigintOf } from './exact.ts'
import { AUTO, type GroupPlan, groupId } from './groups/plan.ts'
import { nanosOfUnits } from './options.ts'
import { accountId, cell, DAMAGED, keyId, personId, type Reader, timeIn, type Users } from './reader.ts'

export const TOO_SHORT = 'The key is too short to be safe. It is left out; make a new one.'
export const DELETED_KEY = 'It was deleted there. It is left out, and does not work.'
export const ORPHAN = 'There is no such user. The key is left out.'
export const REFUSED_GROUP = 'Its person may not use its group, so that it is refused there. It may call no model here.'
export const BAD_NETWORKS =
  'Not all of it is an address or a network. What is not is left out, so that it lets nobody in.'
export const CROSSING =
  'A failed request was repeated in the next group. Here all channels of a model are tried, whatever group they are of.'
const DISABLED_BY_STATUS = 'Its state there is expired or used up although it is neither. It is disabled here.'

const SHORTEST = 16
const [ENABLED, EXPIRED, EXHAUSTED] = [1, 3, 4]

export type Token = { id: number; user: number; row: SourceRow; key: string }

/** The tokens that are moved, in order. `isReported`: those that are not, and what is not carried over, are named in the report. */
export async function* readTokens(
  { program, database, findings }: Reader,
  users: Users,
  isReported = false,
): AsyncIterable<Token> {
  const given = { tables: program.tables, findings }
  for await (const row of isReported ? reportedRows(database, 'tokens', given) : database.rows('tokens', ['id'])) {
    const [id, user] = [row.id, row.user_id].map((value) => integerOf(value))
    const key = cell(row, 'key')
    const terms = program.token(row)
    const problem =
      id === undefined || user === undefined
        ? DAMAGED
        : terms.isDeleted
          ? DELETED_KEY
          : !users.groups.has(user)
            ? ORPHAN
            : key.length < SHORTEST
              ? TOO_SHORT
              : undefined
    if (problem !== undefined) {
      if (isReported)
        findings.add('tokens', problem === DELETED_KEY ? 'exact' : 'manual', problem, rowOf('tokens', row))
    } else if (id !== undefined && user !== undefined) yield { id, user, row, key }
  }
}

export async function* readKeys(reader: Reader, users: Users, plan: GroupPlan): AsyncIterable<FoundKey> {
  const { program, findings, options, now } = reader
  for await (const { id, user, row, key } of readTokens(reader, users)) {
    const at = rowOf('tokens', row)
    const terms = program.token(row)
    const userGroup = users.groups.get(user) ?? 'default'
    const group = plan.ofKey(userGroup, terms)
    if (group === undefined) findings.add('tokens.group', 'manual', REFUSED_GROUP, at)
    if (terms.group === AUTO && terms.crossesGroups)
      findings.add('tokens.cross_group_retry', 'approximate', CROSSING, at)
    const networks = terms.networks.filter((network) => networkErrors([network]).length === 0)
    if (networks.length < terms.networks.length) findings.add('tokens.networks', 'manual', BAD_NETWORKS, at)
    const expiresAt = timeIn(row, 'expired_time')
    const [status, left] = [integerOf(row.status), bigintOf(row.remain_quota) ?? 0n]
    const isExpired = expiresAt !== undefined && expiresAt <= now
    const isUsedUp = status === EXHAUSTED && !isUnlimited(row) && left <= 0n
    const works = status === ENABLED || (status === EXPIRED && isExpired) || isUsedUp
    if (!works && (status === EXPIRED || status === EXHAUSTED))
      findings.add('tokens.status', 'approximate', DISABLED_BY_STATUS, at)
    yield {
      id: keyId(id),
      account: accountId(user),
      person: personId(user),
      name: cell(row, 'name') || `key ${id}`,
      // Both programs take it with and without its beginning.
      secrets: [{ hash: hashSecret(`sk-${key}`) }, { hash: hashSecret(key) }],
      lastFour: key.slice(-4),
      group: group ?? groupId(terms.group),
      state: !works ? 'disabled' : isExpired ? 'expired' : 'live',
      expiresAt,
      spent: nanosOfUnits(bigintOf(row.used_quota) ?? 0n, options),
      limits: NO_LIMITS,
      models: group === undefined ? [] : terms.models,
      networks: terms.networks.length > 0 ? networks : undefined,
      aliases: {},
      tags: [],
      createdAt: timeIn(row, 'created_time'),
    }
  }
}

/** A token without a limit counts below zero as it is used. */
const isUnlimited = (row: SourceRow): boolean => booleanOf(row.unlimited_quota) === true

export async function* readCaps(reader: Reader, users: Users): AsyncIterable<FoundBudget> {
  const { options, findings } = reader
  for await (const { id, user, row } of readTokens(reader, users)) {
    if (isUnlimited(row)) continue
    const [left, used] = [bigintOf(row.remain_quota), bigintOf(row.used_quota)]
    if (left === undefined || used === undefined || left + used < 0n)
      findings.add('tokens.remain_quota', 'manual', NO_CAP, rowOf('tokens', row))
    yield {
      id: `cap:${id}`,
      kind: 'key',
      account: accountId(user),
      key: keyId(id),
      person: undefined,
      model: undefined,
      value: undefined,
      amount: possible(nanosOfUnits((left ?? 0n) + (used ?? 0n), options)),
      period: undefined,
      everyHours: undefined,
      startsAt: undefined,
      hard: true,
      spentNow: nanosOfUnits(used ?? 0n, options),
    }
  }
}

export const NO_CAP = 'What is left of it is no amount that is possible. Its cap is 0.'
/** More than a billion USD is the same as that. */
const possible = (amount: Nanos): Nanos => (amount < 0n ? 0n : amount > MAX_AMOUNT ? MAX_AMOUNT : amount)
