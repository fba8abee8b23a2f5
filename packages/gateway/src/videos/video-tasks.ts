// Videos as a type of task: its steps, for the worker and for DELETE.

import type { UpstreamVideoTask } from '@trivium/protocol/canonical/video.ts'
import { encodeTask } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import type { TaskType } from '../tasks/task-type.ts'
import type { VideoDependencies } from './dependencies.ts'
import { changeByRecord } from './steps/change-by-record.ts'
import { copyResult } from './steps/copy-result.ts'
import type { VideoTask } from './task.ts'
import { cancelTask, listTasks, queryTask } from './upstream.ts'
import { viewOf } from './view.ts'

export const videoTasks = (deps: VideoDependencies): TaskType<VideoTask, UpstreamVideoTask> => ({
  query: (task, id) => queryTask(task, id, deps),
  list: (task, page) => listTasks(task, page, deps),
  cancel: (task, id) => cancelTask(task, id, deps),
  changeByRecord,
  copy: (task) => copyResult(task, deps),
  isCopiedInMemory: ({ data }) => data.dialect === 'generate-content' && data.result?.video === undefined,
  async removeResult({ data: { media } }) {
    for (const stored of [media?.video, media?.lastFrame]) if (stored) await deps.mediaStore.remove(stored.id)
  },
  encode: (task, as) => encodeTask(viewOf(task, deps, as)),
})
