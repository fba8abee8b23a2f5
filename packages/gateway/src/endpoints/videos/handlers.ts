// What serves video tasks.

import type { Handlers } from '../../handler.ts'
import { deleteTask, listTasks, showTask } from '../../videos/endpoints.ts'
import { submitVideo } from '../../videos/journey.ts'

export const handlers = {
  'create-video-task': submitVideo,
  'list-video-tasks': listTasks,
  'show-video-task': (incoming, deps, id) => showTask(id, incoming, deps),
  'delete-video-task': (incoming, deps, id) => deleteTask(id, incoming, deps),
} satisfies Handlers
