// GET and DELETE of video tasks. All answers come from the store: clients may ask as often as they like.

import type { HttpResponse } from '@trivium/http/response.ts'
import { encodeList, encodeTask } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import { decodeListQuery } from '@trivium/protocol/dialects/video-tasks/task/list-query.ts'
import { authenticate } from '../access/authenticate.ts'
import { visibleKey } from '../access/visible-key.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { deleteTask as deleteAnyTask, ownTask } from '../tasks/endpoints.ts'
import { decodeTaskRow, parseTaskId } from '../tasks/task.ts'
import type { VideoDependencies } from './dependencies.ts'
import type { VideoTaskData } from './task.ts'
import { videoTasks } from './video-tasks.ts'
import { viewOf } from './view.ts'

export async function showTask(id: string, incoming: ApiRequest, deps: VideoDependencies): Promise<HttpResponse> {
  const task = await ownTask<VideoTaskData>(id, incoming, 'video-tasks', 'video', deps)
  return jsonText(incoming, encodeTask(viewOf(task, deps)))
}

export async function listTasks(incoming: ApiRequest, deps: VideoDependencies): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'video-tasks', deps)
  const madeWith = visibleKey(caller)
  const { page, pageSize, statuses, ids, model, serviceTier } = decodeListQuery(new URLSearchParams(incoming.query))
  const filter = {
    type: 'video' as const,
    ...(statuses.length > 0 ? { statuses } : {}),
    // What is no id of ours names no task.
    ...(ids.length > 0 ? { ids: ids.flatMap((id) => parseTaskId(id) ?? []) } : {}),
    ...(model === undefined ? {} : { model }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(madeWith ? { madeWith } : {}),
  }
  const offset = (page - 1) * pageSize
  const { total, tasks } = await deps.store.tasks.list(caller.account, filter, { offset, limit: pageSize })
  const items = tasks.map((row) => viewOf(decodeTaskRow<VideoTaskData>(row), deps))
  return jsonText(incoming, encodeList(total, items))
}

export const deleteTask = (id: string, incoming: ApiRequest, deps: VideoDependencies): Promise<HttpResponse> =>
  deleteAnyTask(id, incoming, 'video-tasks', 'video', videoTasks(deps), deps)

function jsonText({ responseHeaders: headers }: ApiRequest, text: string): HttpResponse {
  headers.set('content-type', 'application/json')
  return { status: 200, headers, body: Buffer.from(text) }
}
