// Our own tasks as clients of this dialect see them.

import type { UpstreamVideoTask, VideoSettings, VideoStatus, VideoUsage } from '../../../canonical/video.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import { SETTING_NAMES, SETTINGS } from '../../shared/videos/settings.ts'

export type VideoTaskRecord = {
  /** Ours, not the upstream's. */
  id: string
  /** As the client called it. */
  model: string
  status: VideoStatus
  error?: { code: string; message: string }
  /** Signed URLs of the gateway. Absent: not made yet, or no longer kept. */
  videoUrl?: string
  lastFrameUrl?: string
  usage?: VideoUsage
  /** Seconds since 1970. */
  createdAt: number
  updatedAt: number
  settings: VideoSettings
  generateAudio?: boolean
  draft?: boolean
  serviceTier?: string
  expiresAfter?: number
  safetyIdentifier?: string
  /** Fields that the upstream's record had besides, with their JSON text. */
  unknown?: UpstreamVideoTask['unknown']
}

export type EncodeTaskOptions = {
  /** Some SDKs cannot decode `expired`: they get `failed` with the code TaskExpired. */
  expiredAs?: 'expired' | 'failed'
}

/** SDKs read `id`, the specification says `task_id`. */
export const encodeSubmitted = (id: string): string => `{"id":${jsonText(id)},"task_id":${jsonText(id)}}`

/** What has no value is absent, since one of the vendor's SDKs fails at null. */
export function encodeTask(task: VideoTaskRecord, { expiredAs = 'expired' }: EncodeTaskOptions = {}): string {
  const isHidden = task.status === 'expired' && expiredAs === 'failed'
  const expired = { code: 'TaskExpired', message: 'The task was not finished in time.' }
  const error = task.error ?? (isHidden ? expired : undefined)
  const fields: [name: string, value: unknown][] = [
    ['id', task.id],
    ['task_id', task.id],
    ['model', task.model],
    ['status', isHidden ? 'failed' : task.status],
    ['error', error && { code: error.code, message: error.message }],
    ['content', contentOf(task)],
    ['usage', usageOf(task.usage)],
    ['created_at', task.createdAt],
    ['updated_at', task.updatedAt],
    ...SETTINGS.map((setting): [string, unknown] => [SETTING_NAMES[setting], task.settings[setting]]),
    ['service_tier', task.serviceTier],
    ['execution_expires_after', task.expiresAfter],
    ['generate_audio', task.generateAudio],
    ['draft', task.draft],
    ['safety_identifier', task.safetyIdentifier],
  ]
  const written = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`${jsonText(name)}:${JSON.stringify(value)}`],
  )
  const own = new Set(fields.map(([name]) => name))
  const others = (task.unknown ?? []).filter(({ name, text }) => !own.has(name) && text !== 'null')
  return `{${[...written, ...others.map(({ name, text }) => `${jsonText(name)}:${text}`)].join(',')}}`
}

function contentOf({ videoUrl, lastFrameUrl }: VideoTaskRecord): Record<string, string> | undefined {
  if (videoUrl === undefined && lastFrameUrl === undefined) return undefined
  return {
    ...(videoUrl === undefined ? {} : { video_url: videoUrl }),
    ...(lastFrameUrl === undefined ? {} : { last_frame_url: lastFrameUrl }),
  }
}

/** Input is not counted: both figures are the same where only one is known. */
function usageOf(usage: VideoUsage | undefined): Record<string, unknown> | undefined {
  const completion = usage?.completionTokens ?? usage?.totalTokens
  if (usage === undefined || completion === undefined) return undefined
  const tools = usage.toolCalls === undefined ? {} : { tool_usage: usage.toolCalls }
  return { completion_tokens: completion, total_tokens: usage.totalTokens ?? completion, ...tools }
}

/** `total`: of all tasks that match, not of this page. */
export function encodeList(total: number, tasks: readonly VideoTaskRecord[], options: EncodeTaskOptions = {}): string {
  return `{"total":${total},"items":[${tasks.map((task) => encodeTask(task, options)).join(',')}]}`
}
