// Everything of Storage but the ledger's verbs, over whatever runs statements: the same code on both engines.
import type { Kysely } from 'kysely'
import { MAX_AMOUNT } from '../../money/amount.ts'
import { DEAD_AFTER_MS, HELD } from '../../money/book.ts'
import { PERIODS } from '../../money/limits.ts'
import type { KeyChanges, NewKey, Storage } from '../storage.ts'
import { AUDIT, toAuditReport } from './audit.ts'
import { checkId, checkLimits, checkList, checkText, normaliseEmail } from './guard.ts'
import type { Statement } from './queries.ts'
import * as queries from './queries.ts'
import { registration, rememberAddress } from './registration.ts'
import {
  ACCOUNT_PREFIX,
  integer,
  KEY_PREFIX,
  type Row,
  toAccount,
  toCaller,
  toKey,
  toUsageRow,
  withPrefix,
} from './rows.ts'
import type { Schema } from './schema.ts'

/** An engine's way of running statements. All reject with StoreDown when the store does not answer. */
export type Runner = {
  /** What no verb changes: nobody waits for the books. */
  read(statement: Statement): Promise<Row[]>
  /** Shows what all verbs answered so far have changed. */
  readBooks(statement: Statement): Promise<Row[]>
  /** May take seconds and must not hold up requests meanwhile. All statements see one snapshot. */
  readSlowly(statements: readonly Statement[]): Promise<Row[][]>
  /** All or nothing, in order; undefined: a required statement returned no row and everything was undone. */
  write(statements: readonly Statement[]): Promise<Row[][] | undefined>
}

/** About what one page shows: read without further ado. */
const LONGEST_SHORT_LIST = 1_000

export type Records = Omit<Storage, 'apply' | 'contents' | 'ping' | 'close'>

export function records(db: Kysely<Schema>, runner: Runner, clock: () => number): Records {
  const first = async (statement: Statement): Promise<Row | undefined> => (await runner.read(statement))[0]
  // On the path of requests, so compiled once; only the parameter changes.
  const caller = queries.findCaller(db, new Uint8Array())
  const counter = queries.changeCounter(db)
  return {
    ...registration(db, runner, clock),
    async findCaller(hash) {
      const row = await first({ ...caller, parameters: [hash] })
      return row && toCaller(row)
    },
    async changeCounter() {
      return integer((await first(counter))?.value)
    },
    async createAccount(email, credit, source, password) {
      if (credit < 0n || credit > MAX_AMOUNT) throw new RangeError(`credit: ${credit} is outside 0..${MAX_AMOUNT}`)
      const hash = password === undefined ? undefined : checkText('password', password)
      const account = { email: normaliseEmail(email), credit, source, password: hash }
      const now = clock()
      // First, as signing up has it: two who want one address wait for each other in one order.
      const remember = rememberAddress(db, email, now)
      const rows = await runner.write([remember, ...queries.createAccount(db, account, now)])
      const created = rows?.[1]?.[0]
      return created && toAccount(created, now)
    },
    async findAccount(email) {
      const [row] = await runner.readBooks(queries.findAccount(db, normaliseEmail(email)))
      return row && toAccount(row, clock())
    },
    async listAccounts() {
      const [rows = []] = await runner.readSlowly([queries.listAccounts(db)])
      const now = clock()
      return rows.map((row) => toAccount(row, now))
    },
    async setAccountDisabled(account, disabled) {
      await runner.write(queries.setAccountDisabled(db, account, disabled))
    },
    async credit(account, amount, reason) {
      if (amount === 0n || amount > MAX_AMOUNT || -amount > MAX_AMOUNT)
        throw new RangeError(`amount: ${amount} is 0 or beyond ${MAX_AMOUNT}`)
      return (
        (await runner.write(queries.creditAccount(db, account, amount, checkText('reason', reason), clock()))) !==
        undefined
      )
    },
    async createKey(key) {
      const rows = await runner.write(queries.createKey(db, checkKey(key), clock()))
      const created = rows?.[1]?.[0]
      if (!created) throw new Error(`account ${key.account} does not exist`)
      return toKey(created, clock())
    },
    async listKeys(account) {
      const now = clock()
      return (await runner.readBooks(queries.listKeys(db, account))).map((row) => toKey(row, now))
    },
    async keyGroups() {
      const [rows = []] = await runner.readSlowly([queries.keyGroups(db, clock())])
      return new Map(rows.map((row) => [String(row.group_name), Number(row.keys)]))
    },
    async revokeKey(key) {
      return (await runner.write(queries.revokeKey(db, key))) !== undefined
    },
    async setKeyTerms(key, changes) {
      return (await runner.write(queries.setKeyTerms(db, key, checkTerms(changes), clock()))) !== undefined
    },
    async setAccountLimits(account, limits) {
      await runner.write(queries.setAccountLimits(db, account, checkLimits(limits), clock()))
    },
    async standing(key) {
      const [row] = await runner.readBooks(queries.standing(db, key))
      const now = clock()
      return (
        row && {
          account: toAccount(withPrefix(row, ACCOUNT_PREFIX), now),
          key: toKey(withPrefix(row, KEY_PREFIX), now),
        }
      )
    },
    async findRequest(account, request) {
      const [row] = await runner.readBooks(queries.findRequest(db, account, checkId(request)))
      return row && toUsageRow(row)
    },
    async usage(account, limit, before) {
      if (!Number.isSafeInteger(limit) || limit < 0) throw new RangeError(`limit: ${limit}`)
      const query = queries.usage(db, account, limit, before === undefined ? undefined : checkId(before))
      const isShort = limit > 0 && limit <= LONGEST_SHORT_LIST
      const rows = isShort ? await runner.readBooks(query) : (await runner.readSlowly([query]))[0]
      return (rows ?? []).map(toUsageRow)
    },
    async clearReceipts(below, after, limit) {
      const rows = await runner.read(queries.receiptsAfter(db, after, below, limit))
      const open = rows.findIndex(({ state }) => Number(state) === HELD)
      const over = open < 0 ? rows : rows.slice(0, open)
      const last = over.length === 0 ? after : integer(over[over.length - 1]?.id)
      if (over.some((row) => Number(row.has_receipt) === 1)) {
        await runner.write([queries.clearReceipts(db, after, last)])
      }
      return { last, isMore: open < 0 && rows.length === limit }
    },
    async audit() {
      return toAuditReport(await runner.readSlowly(AUDIT))
    },
    async nodes() {
      const rows = await runner.readBooks(queries.nodes(db, clock() - DEAD_AFTER_MS))
      return rows.map(({ slot, config }) => ({ slot: Number(slot), config: String(config) }))
    },
    async getMeta(name) {
      return (await first(queries.getMeta(db, checkText('name', name))))?.value as string | undefined
    },
    async setMetaOnce(name, value) {
      const rows = await runner.write(queries.setMetaOnce(db, checkText('name', name), checkText('value', value)))
      return rows?.[1]?.[0]?.value as string
    },
  }
}

function checkKey(key: NewKey): NewKey {
  checkText('name', key.name)
  checkText('group', key.group)
  if (key.hash.length !== 32) throw new TypeError('hash: must be the 32 bytes of a SHA-256')
  const { expiresAt, cap, capPeriod, limits, restrictions } = key
  if (capPeriod !== undefined && cap === undefined) throw new RangeError(`capPeriod: ${capPeriod} without a cap`)
  checkTerms({ expiresAt, cap, capPeriod, ...limits, ...restrictions })
  return key
}

function checkTerms(terms: KeyChanges): KeyChanges {
  const { expiresAt, cap, capPeriod, models, networks, ...limits } = terms
  if (cap !== undefined && (cap < 0n || cap > MAX_AMOUNT)) throw new RangeError(`cap: ${cap}`)
  if (capPeriod !== undefined && !PERIODS.includes(capPeriod))
    throw new RangeError(`capPeriod: ${capPeriod} is not one of ${PERIODS.join(', ')}`)
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) throw new RangeError(`expiresAt: ${expiresAt}`)
  checkLimits(limits)
  checkList('models', models)
  checkList('networks', networks)
  return terms
}
