// Tasks of all accounts, newest first. What was asked for is not shown.
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { fields, optional, text, textLike, word } from '../../request/schema/schema.ts'
import { TASK_STATES, type TaskRow } from '../../storage/storage.ts'
import { formatTaskId, parseTaskId } from '../../tasks/task.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { given, pageFieldsBy, readPlace } from '../inputs/page.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { rejected } from '../rejections.ts'

/** As its client knows it, or by its request. */
const idOf = (text: string): bigint | undefined => parseTaskId(text) ?? parseRequestId(text)
const TASK = textLike((text) => idOf(text) !== undefined, 'be the id of a task')

export const listTasks = operation({
  name: 'task list',
  permission: 'see',
  input: fields({
    account: optional(ACCOUNT),
    state: optional(word(...TASK_STATES)),
    model: optional(text({ max: 300 })),
    ...pageFieldsBy(TASK),
  }),
  async run(context, { account: named, state, model, ...page }) {
    const { place, limit } = readPlace(page, (id) => idOf(id) ?? 0n)
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const { rows, next } = await context.storage.tasks.page(given({ account, state, model }), place, limit)
    return { items: rows.map(taskRow), next: next === undefined ? null : formatTaskId(next) }
  },
})

export const showTask = operation({
  name: 'task show',
  permission: 'see',
  input: fields({ task: TASK }),
  async run({ storage }, { task }) {
    const row = await storage.tasks.find(idOf(task) ?? 0n)
    if (!row) throw rejected('unknown_task', { task })
    return taskRow(row)
  },
})

const taskRow = (row: TaskRow) => ({
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
  created_at: isoTime(row.createdAt),
  updated_at: isoTime(row.updatedAt),
  deadline: isoTime(row.deadline),
})
