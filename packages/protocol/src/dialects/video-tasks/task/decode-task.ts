// What an upstream of this dialect answers: to a submit, to a query, to a list.

import { errorInfo } from '../../../canonical/error.ts'
import { isObject, type Json, parsedJson, withoutUndefined } from '../../../canonical/reading.ts'
import type {
  Decoded,
  UpstreamVideoTask,
  VideoResult,
  VideoSettings,
  VideoStatus,
  VideoTaskError,
  VideoUsage,
} from '../../../canonical/video.ts'
import type { Codec } from '../../../framing/codec.ts'
import { elementsOf } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, scanObject } from '../../../framing/json/json-scan.ts'
import { readSetting, SETTING_NAMES, SETTINGS } from '../../shared/videos/settings.ts'
import type { UpstreamVideoList } from '../../video-service.ts'
import { decodeError, errorCodeOf } from '../error.ts'

/** The dialect's own words, and those of services that imitate it. */
const STATUS_WORDS: Readonly<Record<string, VideoStatus>> = {
  queued: 'queued',
  pending: 'queued',
  submitted: 'queued',
  created: 'queued',
  running: 'running',
  processing: 'running',
  in_progress: 'running',
  succeeded: 'succeeded',
  success: 'succeeded',
  completed: 'succeeded',
  failed: 'failed',
  failure: 'failed',
  error: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  expired: 'expired',
}

const DECODED: ReadonlySet<string> = new Set([
  'id',
  'task_id',
  'model',
  'status',
  'error',
  'content',
  'usage',
  'created_at',
  'updated_at',
  'generate_audio',
  'draft',
  'service_tier',
  'execution_expires_after',
  'safety_identifier',
  ...Object.values(SETTING_NAMES),
])

const notATask = (what: string): Decoded<never> => ({
  ok: false,
  error: errorInfo('upstream_error', `The upstream answered ${what}.`),
})

export function decodeTask(body: Uint8Array, codec: Codec): Decoded<UpstreamVideoTask> {
  const scan = scanObject(body, codec)
  if (!scan.ok) return notATask('with something that is not a JSON object')
  const values: Record<string, unknown> = {}
  const unknown: { name: string; text: string }[] = []
  for (const { name, start, end } of scan.fields) {
    const text = codec.decode(body, start, end)
    if (DECODED.has(name)) values[name] = parsedJson(text)
    else unknown.push({ name, text })
  }
  return taskOf(values, unknown)
}

/** The vendor answers with the id alone. An answer with an error and no id is a rejection, whatever its HTTP status. */
export function decodeSubmitted(body: Uint8Array, codec: Codec): Decoded<UpstreamVideoTask> {
  const decoded = decodeTask(body, codec)
  if (!decoded.ok || decoded.value.statusWord !== undefined) return decoded
  return { ok: true, value: { ...decoded.value, status: 'queued' } }
}

/** Items that are no tasks are left out: the list is only searched. */
export function decodeList(body: Uint8Array, codec: Codec): Decoded<UpstreamVideoList> {
  const scan = scanObject(body, codec)
  if (!scan.ok) return notATask('with something that is not a JSON object')
  const items = fieldNamed(scan.fields, 'items')
  if (items === undefined || items.kind !== 'array') {
    const whole = parsedJson(codec.decode(body, 0, body.length))
    return isObject(whole) && isObject(whole.error)
      ? { ok: false, error: decodeError(200, whole) }
      : notATask('without items')
  }
  const total = fieldNamed(scan.fields, 'total')
  const tasks = elementsOf(body, items.start, items.end).flatMap(({ start, end }) => {
    const decoded = decodeTask(body.subarray(start, end), codec)
    return decoded.ok ? [decoded.value] : []
  })
  return { ok: true, value: { total: total && countOf(parsedJson(codec.decode(body, total.start, total.end))), tasks } }
}

function taskOf(values: Json, unknown: UpstreamVideoTask['unknown']): Decoded<UpstreamVideoTask> {
  const id = text(values.id) ?? text(values.task_id)
  if (id === undefined)
    return isObject(values.error)
      ? { ok: false, error: decodeError(200, values) }
      : notATask('without the id of a task')
  const statusWord = text(values.status)
  const content = isObject(values.content) ? values.content : {}
  return {
    ok: true,
    value: withoutUndefined<UpstreamVideoTask>({
      id,
      model: text(values.model),
      status: STATUS_WORDS[statusWord?.toLowerCase() ?? ''] ?? 'unknown',
      statusWord,
      video: resultOf(content.video_url ?? content.file_url),
      lastFrame: resultOf(content.last_frame_url),
      usage: usageOf(values.usage),
      error: taskErrorOf(values.error),
      createdAt: countOf(values.created_at),
      updatedAt: countOf(values.updated_at),
      settings: settingsOf(values),
      generateAudio: typeof values.generate_audio === 'boolean' ? values.generate_audio : undefined,
      draft: typeof values.draft === 'boolean' ? values.draft : undefined,
      serviceTier: shortText(values.service_tier),
      expiresAfter: countOf(values.execution_expires_after),
      reference: text(values.safety_identifier),
      unknown,
    }),
  }
}

/** Undefined: no figure that could be meant. */
const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const LONGEST_WORD = 64
const shortText = (value: unknown): string | undefined => {
  const found = text(value)
  return found === undefined || found.length > LONGEST_WORD ? undefined : found
}

const resultOf = (value: unknown): VideoResult | undefined => {
  const url = text(value)
  return url === undefined ? undefined : { kind: 'url', url, needsCredential: false }
}

function usageOf(value: unknown): VideoUsage | undefined {
  if (!isObject(value)) return undefined
  const calls = isObject(value.tool_usage) ? Object.entries(value.tool_usage) : []
  const counted = calls.flatMap(([name, value]) => {
    const count = countOf(value) ?? 0
    return count === 0 ? [] : [[name, count] as const]
  })
  return withoutUndefined<VideoUsage>({
    completionTokens: countOf(value.completion_tokens),
    totalTokens: countOf(value.total_tokens),
    toolCalls: counted.length === 0 ? undefined : Object.fromEntries(counted),
  })
}

/** What the upstream says about its own key or money is not told to clients: the code follows from the gateway's reading. */
function taskErrorOf(value: unknown): VideoTaskError | undefined {
  if (!isObject(value)) return undefined
  const info = decodeError(200, { error: value })
  const isClients = info.code === 'content_policy_violation' || info.code === 'bad_request'
  const code = isClients ? (text(value.code) ?? errorCodeOf(info.code)) : errorCodeOf(info.code)
  return { code, message: info.message, info }
}

/** A value that no request could have is left out. */
function settingsOf(values: Json): VideoSettings {
  const settings: Record<string, unknown> = {}
  for (const setting of SETTINGS) {
    const read = readSetting(setting, values[SETTING_NAMES[setting]])
    if (read.ok) settings[setting] = read.value
  }
  // Only requests count in whole seconds.
  if (typeof values.duration === 'number' && values.duration > 0) settings.duration = values.duration
  return settings as VideoSettings
}
