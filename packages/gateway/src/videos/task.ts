// What the row of a video task has besides what every task has.

import type { UpstreamVideoTask, VideoRequest, VideoSettings } from '@trivium/protocol/canonical/video.ts'
import type { VideoDialectId } from '@trivium/protocol/dialects/video-services.ts'
import type { Video } from '../endpoints/videos/modality/price.ts'
import type { Change, Task, TaskData } from '../tasks/task.ts'
import type { FrozenPrice } from './frozen-price.ts'

export type VideoTask = Task<VideoTaskData>
export type VideoChange = Change<VideoTaskData>

export type VideoTaskData = TaskData & {
  type: 'video'
  dialect: VideoDialectId
  price: FrozenPrice
  /** What is charged where the upstream does not tell what it made. */
  requested: Video
  /** The most expensive reading of the request. */
  heldFor: Video
  /** What clients are shown of their request. */
  shown: ShownRequest
  returnLastFrame?: boolean
  /** What the upstream says of a task that is not finished yet. */
  reported?: ReportedTerms
  /** The upstream's record of the finished task, and when it was read. */
  result?: UpstreamVideoTask
  finishedAt?: number
  /** Failed attempts to copy the video, and those that certainly found none. */
  copies?: number
  noVideo?: number
  /** What was copied. */
  media?: { video?: StoredMedia; lastFrame?: StoredMedia }
}

export type ShownRequest = { settings: VideoSettings } & Pick<
  VideoRequest,
  'generateAudio' | 'draft' | 'serviceTier' | 'expiresAfter' | 'safetyIdentifier'
>

export type ReportedTerms = Pick<UpstreamVideoTask, 'serviceTier' | 'expiresAfter'>

export type StoredMedia = { id: string; expiresAt: number }
