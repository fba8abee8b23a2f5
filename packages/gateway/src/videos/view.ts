// A task as clients see it.

import type { VideoTaskRecord } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import { formatTaskId, storeNow } from '../tasks/task.ts'
import type { ShownStatus } from '../tasks/task-type.ts'
import type { VideoDependencies } from './dependencies.ts'
import type { StoredMedia, VideoTask } from './task.ts'

/** `as`: the task as it was when it got this status. Absent: as it is. */
export function viewOf(task: VideoTask, { signedUrls }: VideoDependencies, as?: ShownStatus): VideoTaskRecord {
  const { id, account, model, createdAt, data } = task
  const { status, updatedAt } = as ?? task
  const urlOf = (media: StoredMedia | undefined): string | undefined =>
    // A signed URL expires at a whole second.
    media && Math.floor(media.expiresAt / 1_000) * 1_000 > storeNow(task)
      ? signedUrls.sign({ ...media, account })
      : undefined
  const { settings: requested, ...asked } = data.shown
  const shown = { ...asked, ...data.reported }
  const { result } = data
  const made = status === 'succeeded'
  const videoUrl = made ? urlOf(data.media?.video) : undefined
  const lastFrameUrl = made ? urlOf(data.media?.lastFrame) : undefined
  const isOver = made || status === 'failed' || status === 'cancelled' || status === 'expired'
  const error = isOver ? data.end?.error : undefined
  return {
    id: formatTaskId(id),
    model,
    status,
    ...(error === undefined ? {} : { error }),
    ...(videoUrl === undefined ? {} : { videoUrl }),
    ...(lastFrameUrl === undefined ? {} : { lastFrameUrl }),
    ...(made && result?.usage !== undefined ? { usage: result.usage } : {}),
    createdAt: Math.floor(createdAt / 1_000),
    updatedAt: Math.floor(updatedAt / 1_000),
    settings: made ? { ...requested, ...result?.settings } : requested,
    ...shown,
    ...(made && result?.draft !== undefined ? { draft: result.draft } : {}),
    ...(made && result?.generateAudio !== undefined ? { generateAudio: result.generateAudio } : {}),
    ...(made && result ? { unknown: result.unknown } : {}),
  }
}
