// The statements of Tasks for both engines: `$1` are parameters, NOW is the store's clock in milliseconds.

import { firstIdAt } from '../../money/request-ids.ts'
import type { Page, Place } from '../console/pages.ts'
import {
  type ClaimShares,
  LAST_STATES,
  LONGEST_PAUSE_MS,
  type NewTask,
  type TaskChange,
  type TaskFilter,
  type TaskRow,
  type TaskState,
  toTask,
} from '../tasks.ts'
import type { Ask, ContentDialect } from './contents.ts'
import { checkId, checkText } from './guard.ts'
import { integer } from './rows.ts'

const COLUMNS = `id, account, key, type, version, state, status, model, service_tier, upstream, upstream_key, upstream_task,
  created_at, updated_at, deadline, due_at, data, NOW AS now`

/** On a conflict there is no row instead of an error, which on SQLite would fail the other statements of the same commit. */
const INSERT = `
INSERT INTO task (id, account, key, type, version, state, status, model, service_tier, upstream, upstream_key, upstream_task,
  created_at, updated_at, deadline, due_at, data)
SELECT $1, $2, $13, $14, 1, $3, $4, $5, $6, $7, $8, $9, clock.now, clock.now, clock.now + $10, clock.now + $11, $12
FROM (SELECT NOW AS now) AS clock WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING ${COLUMNS}`

const FIND = `SELECT ${COLUMNS} FROM task WHERE id = $1`

const UPDATE = `
UPDATE task SET version = version + 1, state = coalesce($3, state), status = coalesce($4, status),
  upstream = coalesce($5, upstream), upstream_key = coalesce($6, upstream_key),
  upstream_task = coalesce($7, upstream_task), data = coalesce($8, data),
  updated_at = CASE WHEN coalesce($4, status) = status THEN updated_at ELSE NOW END,
  due_at = NOW + $9, claimed_until = coalesce(NOW + $10, 0), expires_at = coalesce(NOW + $11, expires_at)
WHERE id = $1 AND version = $2
RETURNING ${COLUMNS}`

/** Times later than these are from before the store's clock was set back. */
const IS_DUE = `(due_at <= NOW OR due_at > NOW + ${LONGEST_PAUSE_MS})`
const IS_FREE = `(claimed_until <= NOW OR claimed_until > NOW + ${LONGEST_PAUSE_MS})`
/** Tasks that are looked at for one claim: many times more than are claimed. */
const MOST_LOOKED_AT = 1_024

/**
 * Materialized, because PostgreSQL might otherwise run the inner SELECT, and lock `limit` rows, several times. The conditions are
 * repeated where rows are locked: another process may have claimed them meanwhile.
 */
const claimDue = ({ skipLocked, list }: ContentDialect) => `
WITH due AS (
  SELECT id, due_at, row_number() OVER (PARTITION BY account ORDER BY due_at) AS of_account,
    row_number() OVER (PARTITION BY upstream ORDER BY due_at) AS of_upstream
  FROM (
    SELECT id, account, upstream, due_at FROM task
    WHERE ${IS_DUE} AND ${IS_FREE} AND account NOT IN (${list('$4', 'bigint')}) AND upstream NOT IN (${list('$5', 'text')})
    ORDER BY due_at LIMIT ${MOST_LOOKED_AT}) AS first),
picked AS MATERIALIZED (
  SELECT id AS picked_id FROM task
  WHERE id IN (SELECT id FROM due WHERE of_account <= $3 AND of_upstream <= $3 ORDER BY of_account, due_at LIMIT $1)
    AND ${IS_DUE} AND ${IS_FREE} ${skipLocked})
UPDATE task SET version = version + 1, claimed_until = NOW + $2 FROM picked WHERE id = picked_id
RETURNING ${COLUMNS}`

const RENEW = 'UPDATE task SET claimed_until = NOW + $3 WHERE id = $1 AND version = $2 RETURNING id'
/** The processes that had the claims are dead. Before the submit is over, a task is not claimed but due later. */
const RELEASE_CLAIMS = `
UPDATE task SET version = version + 1, claimed_until = 0,
  due_at = CASE WHEN state IN ('accepted', 'submitting') AND due_at > NOW THEN NOW ELSE due_at END
WHERE due_at IS NOT NULL AND (claimed_until > NOW OR state IN ('accepted', 'submitting'))`
const REMOVE = 'DELETE FROM task WHERE id = $1 AND version = $2 RETURNING id'

/** Checks the time again: since the first check, the row may have changed. */
const SWEEP = `
DELETE FROM task WHERE expires_at <= NOW AND id IN (
  SELECT id FROM task WHERE expires_at <= NOW ORDER BY expires_at LIMIT $1)
RETURNING id`

export function tasksOver(ask: Ask, dialect: ContentDialect) {
  const CLAIM_DUE = claimDue(dialect)
  const FIND_ALL = `SELECT ${COLUMNS} FROM task WHERE id IN (${dialect.list('$1', 'bigint')}) ORDER BY id DESC`
  return {
    async insert(task: NewTask): Promise<TaskRow> {
      const [row] = await ask(INSERT, inserted(task))
      if (!row) throw new Error(`there is already a task ${task.id}`)
      return toTask(row)
    },
    async find(id: bigint): Promise<TaskRow | undefined> {
      const [row] = await ask(FIND, [id])
      return row && toTask(row)
    },
    /** Those of the ids that are tasks. */
    async existing(ids: readonly bigint[]): Promise<bigint[]> {
      const sql = `SELECT id FROM task WHERE id IN (${dialect.list('$1', 'bigint')})`
      return (await ask(sql, [`[${ids.join(',')}]`])).map(({ id }) => integer(id))
    },
    /** The versions of those of the ids that are tasks. */
    async versions(ids: readonly bigint[]): Promise<Map<bigint, number>> {
      const sql = `SELECT id, version FROM task WHERE id IN (${dialect.list('$1', 'bigint')})`
      const rows = await ask(sql, [`[${ids.join(',')}]`])
      return new Map(rows.map(({ id, version }) => [integer(id), Number(version)]))
    },
    /** How many tasks of a type other than `video` the account has that have not ended; `upTo`: up to this one. */
    async open(account: bigint, type: string, upTo?: bigint): Promise<number> {
      const [row] = await ask(COUNT_OPEN, [account, type, upTo ?? LAST_ID])
      return Number(row?.open ?? 0)
    },
    /** How many tasks with something left to do are in each state. */
    async unfinished(): Promise<{ state: TaskState; tasks: number }[]> {
      const rows = await ask('SELECT state, count(*) AS tasks FROM task WHERE due_at IS NOT NULL GROUP BY state', [])
      return rows.map(({ state, tasks }) => ({ state: state as TaskState, tasks: Number(tasks) }))
    },
    /** The tasks of one account, newest first; not those that are only accepted. `total`: on all pages. */
    async list(
      account: bigint,
      filter: TaskFilter,
      { offset, limit }: { offset: number; limit: number },
    ): Promise<{ total: number; tasks: TaskRow[] }> {
      const { where, parameters } = filtered(account, filter, dialect)
      const [offsetAt, limitAt] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`]
      // The inner SELECT reads the index alone.
      const page = `
SELECT ${COLUMNS} FROM task
WHERE id IN (SELECT id FROM task WHERE ${where} ORDER BY id DESC LIMIT ${limitAt} OFFSET ${offsetAt})
ORDER BY id DESC`
      const [[count], rows] = await Promise.all([
        ask(`SELECT count(*) AS total FROM task WHERE ${where}`, parameters),
        ask(page, [...parameters, offset, limit]),
      ])
      return { total: Number(count?.total ?? 0), tasks: rows.map(toTask) }
    },
    /** How long the newest tasks that succeeded took, in milliseconds. */
    async durations(): Promise<{ model: string; ms: number }[]> {
      const rows = await ask(DURATIONS, [])
      return rows.map(({ model, ms }) => ({ model: String(model), ms: Number(ms) }))
    },
    /** Tasks of all accounts, newest first. `open`: in any state but the last ones. */
    async page(
      {
        account,
        state,
        model,
        upstream,
      }: { account?: bigint; state?: TaskState | 'open'; model?: string; upstream?: string },
      { after, before }: Place,
      limit: number,
    ): Promise<Page<TaskRow>> {
      const isBackwards = before !== undefined
      const parameters: unknown[] = []
      const next = (value: unknown): string => `$${parameters.push(value)}`
      const [start, order] = [before ?? after, isBackwards ? 'ASC' : 'DESC']
      const range = [account === undefined ? 'true' : `account = ${next(account)}`]
      if (start !== undefined) range.push(`id ${isBackwards ? '>' : '<'} ${next(start)}`)
      const filters = [state === undefined ? 'true' : state === 'open' ? IS_OPEN : `state = ${next(state)}`]
      if (model !== undefined) filters.push(`model = ${next(checkText('model', model))}`)
      if (upstream !== undefined) filters.push(`upstream = ${next(checkText('upstream', upstream))}`)
      // A filter looks at a bounded number of rows; the last of them is where the next page begins.
      const looked = `SELECT id, state, model, upstream FROM task WHERE ${range.join(' AND ')} ORDER BY id ${order} LIMIT ${MOST_READ}`
      const ids = await ask(
        `SELECT id, ${filters.join(' AND ')} AS matches FROM (${looked}) AS looked ORDER BY id ${order}`,
        parameters,
      )
      const matching = ids.filter(({ matches }) => Boolean(Number(matches))).map(({ id }) => integer(id))
      const shown = matching.slice(0, limit)
      const rows = (await ask(FIND_ALL, [`[${shown.join(',')}]`])).map(toTask)
      const last = ids.length === MOST_READ ? integer(ids.at(-1)?.id) : undefined
      return { rows, next: matching.length > limit ? shown.at(-1) : last }
    },
    /** undefined: the task has changed since that version, or does not exist any more. */
    async update(id: bigint, version: number, change: TaskChange): Promise<TaskRow | undefined> {
      const [row] = await ask(UPDATE, [id, version, ...changed(change)])
      return row && toTask(row)
    },
    /**
     * At most `limit` tasks that are due and not claimed, claimed for `claimMs`: of each account those that have been due for
     * longest, and of all accounts equally many.
     */
    async claimDue(
      limit: number,
      claimMs: number,
      { mostOfEach, exceptAccounts, exceptUpstreams }: ClaimShares = ANY,
    ): Promise<TaskRow[]> {
      const except = [`[${exceptAccounts.join(',')}]`, JSON.stringify(exceptUpstreams)]
      const rows = await ask(CLAIM_DUE, [limit, whole(claimMs), mostOfEach, ...except])
      return rows.sort((one, other) => Number(one.due_at) - Number(other.due_at)).map(toTask)
    },
    /** The claim is kept for `claimMs` from now; the version stays. false: the task has changed since. */
    async renew(id: bigint, version: number, claimMs: number): Promise<boolean> {
      return (await ask(RENEW, [id, version, whole(claimMs)])).length > 0
    },
    /** Nothing is claimed any more, and what was about to be submitted is due. Only for a process that owns the store, at its start. */
    async releaseClaims(): Promise<void> {
      await ask(RELEASE_CLAIMS, [])
    },
    /** false: the task has changed since that version. */
    async remove(id: bigint, version: number): Promise<boolean> {
      return (await ask(REMOVE, [id, version])).length > 0
    },
    /** Removes at most `limit` rows whose time is over; resolves with their number. */
    async sweep(limit: number): Promise<number> {
      return (await ask(SWEEP, [limit])).length
    },
  }
}

const IS_OPEN = `state NOT IN (${LAST_STATES.map((state) => `'${state}'`).join(', ')})`

/** The conditions of the index task_open, written out, so that it is used. */
const COUNT_OPEN = `SELECT count(*) AS open FROM task WHERE account = $1 AND type = $2 AND type <> 'video' AND id <= $3 AND ${IS_OPEN}`
const LAST_ID = (1n << 63n) - 1n

const DURATIONS = `
SELECT model, updated_at - created_at AS ms
FROM (SELECT model, state, created_at, updated_at FROM task ORDER BY id DESC LIMIT 2000) AS newest
WHERE state = 'succeeded'`

/** How many tasks of all accounts a page looks at. */
const MOST_READ = 10_000

const ANY: ClaimShares = { mostOfEach: MOST_LOOKED_AT, exceptAccounts: [], exceptUpstreams: [] }

const whole = (milliseconds: number | undefined): bigint | null =>
  milliseconds === undefined ? null : BigInt(Math.ceil(milliseconds))
const text = (field: string, value: string | undefined): string | null =>
  value === undefined ? null : checkText(field, value)

function inserted(task: NewTask): unknown[] {
  return [
    checkId(task.id),
    task.account,
    task.state,
    task.status,
    checkText('model', task.model),
    text('service tier', task.serviceTier),
    checkText('upstream', task.upstream),
    checkText('upstream key', task.upstreamKey),
    text('upstream task', task.upstreamTask),
    whole(task.deadlineInMs),
    whole(task.dueInMs),
    checkText('data', task.data),
    task.key,
    checkText('type', task.type),
  ]
}

function changed(change: TaskChange): unknown[] {
  return [
    change.state ?? null,
    change.status ?? null,
    text('upstream', change.upstream),
    text('upstream key', change.upstreamKey),
    text('upstream task', change.upstreamTask),
    text('data', change.data),
    whole(change.dueInMs),
    whole(change.claimMs),
    whole(change.keepMs),
  ]
}

/** That of tasks that said nothing. */
const DEFAULT_TIER = 'default'

/** An empty list matches nothing. */
function filtered(
  account: bigint,
  { type, statuses, ids, model, serviceTier, madeWith }: TaskFilter,
  { list }: ContentDialect,
) {
  const parameters: unknown[] = [account]
  const next = (value: unknown): string => `$${parameters.push(value)}`
  const conditions = [`account = $1 AND state <> 'accepted'`]
  if (type !== undefined) conditions.push(`type = ${next(type)}`)
  if (madeWith) conditions.push(`key = ${next(madeWith.key)} AND id >= ${next(firstIdAt(madeWith.since))}`)
  if (statuses) conditions.push(`status IN (${list(next(JSON.stringify(statuses)), 'text')})`)
  if (ids) conditions.push(`id IN (${list(next(`[${ids.join(',')}]`), 'bigint')})`)
  if (model !== undefined) conditions.push(`model = ${next(checkText('model', model))}`)
  if (serviceTier !== undefined)
    conditions.push(`coalesce(service_tier, '${DEFAULT_TIER}') = ${next(checkText('service tier', serviceTier))}`)
  return { where: conditions.join(' AND '), parameters }
}
