// Tasks of all accounts, newest first. What was asked for is not shown.
import { formatUsd } from '../../money/amount.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { fields, optional, text, textLike, word } from '../../request/schema/schema.ts'
import { type Storage, TASK_STATES, type TaskRow } from '../../storage/storage.ts'
import { isEnded } from '../../tasks/states.ts'
import { formatTaskId, parseTaskId, type TaskData } from '../../tasks/task.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { given, pageFieldsBy, readPlace } from '../inputs/page.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { TASK_SHOWN } from '../resources/traffic.ts'

/** As its client knows it, or by its request. */
const idOf = (text: string): bigint | undefined => parseTaskId(text) ?? parseRequestId(text)
export const TASK = textLike((text) => idOf(text) !== undefined, 'be the id of a task')

export const listTasks = operation({
  name: 'task list',
  permission: 'see',
  route: {
    at: 'GET tasks',
    summary: 'Lists tasks, newest first',
    output: TASK_SHOWN,
    list: true,
    isShared: true,
    csv: true,
  },
  input: fields({
    account: optional(ACCOUNT),
    /** `open`: all that have not ended. */
    state: optional(word(...TASK_STATES, 'open')),
    model: optional(text({ max: 300 })),
    upstream: optional(text({ max: 300 })),
    ...pageFieldsBy(TASK),
  }),
  async run(context, { account: named, state, model, upstream, ...page }) {
    const { place, limit } = readPlace(page, (id) => idOf(id) ?? 0n)
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const filter = given({ account, state, model, upstream })
    const { rows, next } = await context.storage.tasks.page(filter, place, limit)
    return { items: await taskRows(context, rows), next: next === undefined ? null : formatTaskId(next) }
  },
})

export async function findTask({ storage }: OperationContext, task: string): Promise<TaskRow> {
  const row = await storage.tasks.find(idOf(task) ?? 0n)
  if (!row) throw rejected('unknown_task', { task })
  return row
}

export const showTask = operation({
  name: 'task show',
  permission: 'see',
  route: { at: 'GET tasks/{task}', summary: 'Shows a task', output: TASK_SHOWN },
  input: fields({ task: TASK }),
  async run(context, { task }) {
    const [shown] = await taskRows(context, [await findTask(context, task)])
    if (!shown) throw rejected('unknown_task', { task })
    return shown
  },
})

async function taskRows({ storage }: OperationContext, rows: readonly TaskRow[]) {
  const [accounts, keys, typical] = await Promise.all([
    storage.accounts.names([...new Set(rows.map(({ account }) => account))]),
    storage.keys.names([...new Set(rows.map(({ key }) => key))]),
    typicalDurations(storage),
  ])
  return rows.map((row) => ({
    ...taskRow(row),
    account: accounts.get(row.account) ?? null,
    key: keys.get(row.key) ?? null,
    typical_ms: typical.get(row.model) ?? null,
  }))
}

/** The median by model. */
async function typicalDurations({ tasks }: Pick<Storage, 'tasks'>): Promise<Map<string, number>> {
  const byModel = Map.groupBy(await tasks.durations(), ({ model }) => model)
  return new Map(
    [...byModel].map(([model, all]) => {
      const sorted = all.map(({ ms }) => ms).toSorted((one, other) => one - other)
      return [model, sorted[Math.floor(sorted.length / 2)] ?? 0]
    }),
  )
}

function taskRow(row: TaskRow) {
  const { held = '0', polls = 0, pollAt, end } = JSON.parse(row.data) as Partial<TaskData>
  const isOver = isEnded(row.state)
  return {
    id: formatTaskId(row.id),
    request_id: formatRequestId(row.id),
    account_id: String(row.account),
    key_id: String(row.key),
    model: row.model,
    service_tier: row.serviceTier ?? null,
    state: row.state,
    status: row.status,
    upstream: row.upstream,
    upstream_task: row.upstreamTask ?? null,
    held_usd: formatUsd(isOver ? 0n : BigInt(held)),
    queries: polls,
    next_query_at: isOver || pollAt === undefined ? null : isoTime(pollAt),
    error: end?.error ?? null,
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
    deadline: isoTime(row.deadline),
  }
}
