// A submit whose outcome is not known: did the upstream take it? The list of its tasks tells, where our id is in it.

import type { TaskWorkDependencies } from '../dependencies.ts'
import { type Change, changeTask, formatTaskId, storeNow, type Task } from '../task.ts'
import type { TaskType, UpstreamTask } from '../task-type.ts'
import { TASK_TIMING } from '../timing.ts'
import { NO_SUCH_CALL } from '../upstream.ts'
import { endWith, pollInterval } from './poll.ts'

const PAGE_SIZE = 100
const MOST_PAGES = 20

export async function findSubmitted(task: Task, type: TaskType, deps: TaskWorkDependencies): Promise<Task | undefined> {
  return changeTask(deps.store.tasks, task, await changeByList(task, type, deps))
}

async function changeByList(task: Task, type: TaskType, deps: TaskWorkDependencies): Promise<Change> {
  const found = await search(task, type)
  const polls = task.data.polls + 1
  const later = pollInterval(polls, deps.random)
  if (typeof found === 'object') {
    const change = type.changeByRecord(found, { ...task, upstreamTask: found.id }, later)
    return { ...change, upstreamTask: found.id }
  }
  deps.log.warn('task not found at its upstream', {
    task: formatTaskId(task.id),
    upstream: task.upstream,
    list: found,
  })
  const isDue = storeNow(task) - task.createdAt >= TASK_TIMING.listedWithinMs
  // A list that could not be read says nothing: the task stays in doubt until its deadline.
  if (!isDue || found === 'unread') return { dueInMs: later, data: { polls } }
  return endWith({ state: 'failed', error: NOT_CONFIRMED, mayBeBilled: true })
}

/** `absent`: the whole list was read. `none`: the upstream has no list. */
async function search(task: Task, type: TaskType): Promise<UpstreamTask | 'absent' | 'none' | 'unread'> {
  const reference = formatTaskId(task.id)
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await type.list(task, { page, pageSize: PAGE_SIZE })
    if (answer.is === 'gone') return answer.reason === NO_SUCH_CALL ? 'none' : 'unread'
    // Some upstreams of the dialect have no list.
    if (answer.is === 'status') return [404, 405, 501].includes(answer.status) ? 'none' : 'unread'
    const { tasks } = answer.value
    const found = tasks.find((each) => each.reference === reference)
    if (found) return found
    const isOlder = tasks.some(
      ({ createdAt }) => createdAt !== undefined && createdAt * 1_000 < task.createdAt - OLDER_MS,
    )
    if (tasks.length < PAGE_SIZE || isOlder) return 'absent'
  }
  return 'unread'
}

/** Lists begin with the newest task. The clocks of two services differ by less. */
const OLDER_MS = 10 * 60_000

const NOT_CONFIRMED = {
  code: 'InternalServiceError',
  message: 'The upstream did not confirm the task. It was not charged. Submit it again.',
}
