// What the record of a video at its upstream means for our task.

import type { UpstreamVideoTask, VideoResult, VideoTaskError } from '@trivium/protocol/canonical/video.ts'
import { endWith } from '../../tasks/steps/poll.ts'
import { storeNow } from '../../tasks/task.ts'
import type { VideoChange, VideoTask } from '../task.ts'

/** It is a verdict only where the upstream says that the task has ended. */
export function changeByRecord(record: UpstreamVideoTask, task: VideoTask, later: number): VideoChange {
  const { serviceTier, expiresAfter } = record
  const reported = {
    ...task.data.reported,
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(expiresAfter === undefined ? {} : { expiresAfter }),
  }
  const data = { polls: task.data.polls + 1, missingSince: undefined, reported }
  switch (record.status) {
    case 'succeeded':
      return { state: 'copying', dueInMs: 0, data: { ...data, result: storable(record), finishedAt: storeNow(task) } }
    case 'failed':
      return withData(endWith({ state: 'failed', error: shownError(record.error) }), data)
    case 'cancelled':
    case 'expired':
      return withData(
        endWith({ state: record.status, ...(record.error ? { error: shownError(record.error) } : {}) }),
        data,
      )
    case 'running':
      return { state: 'running', dueInMs: later, data }
    default: {
      // A task that was shown as running does not go back.
      const state = task.state === 'unknown' ? (task.status === 'queued' ? 'queued' : 'running') : task.state
      return { state, dueInMs: later, data }
    }
  }
}

const withData = (change: ReturnType<typeof endWith>, data: VideoChange['data']): VideoChange => ({
  ...change,
  data: { ...data, ...change.data },
})

/** Without the video itself, which is queried again when it is copied, and without more than a row should have. */
function storable({ video, lastFrame, unknown, ...record }: UpstreamVideoTask): UpstreamVideoTask {
  const isSmall = unknown.reduce((sum, { name, text }) => sum + name.length + text.length, 0) <= MOST_UNKNOWN
  return {
    ...record,
    unknown: isSmall ? unknown : [],
    ...(isStorable(video) ? { video } : {}),
    ...(isStorable(lastFrame) ? { lastFrame } : {}),
  }
}

const MOST_UNKNOWN = 16 * 1024
const LONGEST_URL = 8 * 1024

const isStorable = (result: VideoResult | undefined): result is VideoResult =>
  result?.kind === 'url' && result.url.length <= LONGEST_URL

const LONGEST_CODE = 128

const shownError = (error: VideoTaskError | undefined): { code: string; message: string } => ({
  code: error?.code.slice(0, LONGEST_CODE) ?? 'InternalServiceError',
  message: error?.message ?? 'The upstream could not make the video.',
})
