// The dialects whose upstreams can be asked for videos.

import { videoService as generateContent } from './generate-content/video-generation/index.ts'
import type { DialectId } from './index.ts'
import type { VideoService } from './video-service.ts'
import { videoService as videoTasks } from './video-tasks/index.ts'

const SERVICES = { 'video-tasks': videoTasks, 'generate-content': generateContent } satisfies Partial<
  Record<DialectId, VideoService>
>

export type VideoDialectId = keyof typeof SERVICES
export const VIDEO_SERVICES: Readonly<Record<VideoDialectId, VideoService>> = SERVICES
export const VIDEO_DIALECT_IDS = Object.keys(SERVICES) as readonly VideoDialectId[]
