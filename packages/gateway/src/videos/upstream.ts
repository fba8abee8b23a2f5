// Calls to the upstream that makes a video, in its dialect.

import type { Decoded, UpstreamVideoTask } from '@trivium/protocol/canonical/video.ts'
import type { UpstreamVideoList, VideoCall } from '@trivium/protocol/dialects/video-service.ts'
import { VIDEO_SERVICES } from '@trivium/protocol/dialects/video-services.ts'
import type { codec } from '../bytes/codec.ts'
import type { TaskOperation } from '../observe/request-record.ts'
import type { TaskWorkDependencies } from '../tasks/dependencies.ts'
import { type Answer, ask } from '../tasks/upstream.ts'
import type { VideoTask } from './task.ts'

/** Inline videos of one dialect are base64 in the answer; lists have a hundred tasks. */
const LARGEST_ANSWER = { 'video-tasks': 4 * 1024 * 1024, 'generate-content': 64 * 1024 * 1024 }

export const queryTask = (
  task: VideoTask,
  id: string,
  deps: TaskWorkDependencies,
): Promise<Answer<UpstreamVideoTask>> => {
  const { query, decodeTask } = VIDEO_SERVICES[task.data.dialect]
  return call(task, 'get_task', query(id), decodeTask, deps)
}

/** Some upstreams have no list. */
export const listTasks = (
  task: VideoTask,
  page: { page: number; pageSize: number },
  deps: TaskWorkDependencies,
): Promise<Answer<UpstreamVideoList>> => {
  const { list, decodeList } = VIDEO_SERVICES[task.data.dialect]
  return call(task, 'list_tasks', decodeList && list?.(page), decodeList, deps)
}

/** The body of the answer says nothing more than its status. */
export const cancelTask = (task: VideoTask, id: string, deps: TaskWorkDependencies): Promise<Answer<undefined>> =>
  call(
    task,
    'cancel_task',
    VIDEO_SERVICES[task.data.dialect].cancel?.(id),
    () => ({ ok: true, value: undefined }),
    deps,
  )

function call<T>(
  task: VideoTask,
  operation: TaskOperation,
  sent: VideoCall | undefined,
  decode: ((body: Uint8Array, by: typeof codec) => Decoded<T>) | undefined,
  deps: TaskWorkDependencies,
): Promise<Answer<T>> {
  const mostBytes = LARGEST_ANSWER[task.data.dialect]
  return ask(task, sent && decode && { operation, method: sent.method, path: sent.path, decode, mostBytes }, deps)
}
