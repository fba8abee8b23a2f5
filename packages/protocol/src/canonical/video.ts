// A request for a video and the task that makes it, independent of dialects.

import type { Fields } from '../framing/json/edit-fields.ts'
import type { ErrorInfo } from './error.ts'
import type { BodyAttribution } from './request.ts'

/** What a client can choose in the body of a request, and also by flags in the text of its prompt. */
export type VideoSettings = {
  /** In lowercase: `720p`, `4k`. */
  resolution?: string
  /** `16:9`, or `adaptive`. */
  ratio?: string
  /** Seconds. -1: the model chooses. */
  duration?: number
  /** Takes precedence over `duration`. */
  frames?: number
  framesPerSecond?: number
  /** -1: random. */
  seed?: number
  cameraFixed?: boolean
  watermark?: boolean
}

export type VideoSetting = keyof VideoSettings

export type VideoRequest = {
  model: string
  mode: VideoMode
  /** The prompt's texts in order, with their flags. */
  texts: readonly VideoText[]
  inputs: readonly VideoInput[]
  /** What the request asks for: a field of the body decides, and where there is none the last flag. */
  settings: VideoSettings
  /** Everything that the request says about its settings where it says different things; empty if it says each once. */
  conflicts: readonly SettingConflict[]
  callbackUrl?: string
  returnLastFrame?: boolean
  generateAudio?: boolean
  draft?: boolean
  serviceTier?: string
  /** Seconds after which an unfinished task expires. */
  expiresAfter?: number
  safetyIdentifier?: string
  /** Types of the tools that the model may use. */
  tools: readonly string[]
  /** Fields that are not decoded, in order, with their JSON text. They reach upstreams of the same dialect. */
  unknown: readonly { name: string; text: string }[]
  /** The body that the request was decoded from: an upstream of the same dialect gets its bytes with few edits. */
  json: { bytes: Uint8Array } & Fields
  /** Whom and what it is for; absent: it does not say. */
  attribution?: BodyAttribution
}

export type VideoMode = 'text' | 'first_frame' | 'first_last_frame' | 'reference' | 'draft'

/** `item`: index in the content of the request. */
export type VideoText = { item: number; text: string; flags: readonly PromptFlag[] }

/** A flag such as `--dur 5`. All positions are indexes in the text, ends exclusive. */
export type PromptFlag = {
  setting: VideoSetting
  value: string | number | boolean
  start: number
  end: number
  valueStart: number
  valueEnd: number
}

export type VideoInput = {
  item: number
  kind: 'image' | 'video' | 'audio' | 'draft'
  role: VideoRole
  source: VideoInputSource
}

export type VideoRole =
  | 'first_frame'
  | 'last_frame'
  | 'reference_image'
  | 'mask'
  | 'reference_video'
  | 'reference_audio'
  | 'draft_task'

/** `asset`: an id that only the upstream knows. `bytes`: length of the media itself. */
export type VideoInputSource =
  | { kind: 'url'; url: string }
  | { kind: 'inline'; mediaType: string; base64: string; bytes: number }
  | { kind: 'asset'; id: string }

/** `values`: each once, the one in `settings` first. `at`: where each was found, as a path in the body. */
export type SettingConflict = {
  setting: VideoSetting
  values: readonly (string | number | boolean)[]
  at: readonly string[]
}

/** What a model accepts. Absent: everything that the dialect allows. */
export type VideoLimits = {
  seconds?: readonly [least: number, most: number]
  resolutions?: readonly string[]
  ratios?: readonly string[]
  /** Images in one request. */
  images?: number
}

export const VIDEO_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const
export type VideoStatus = (typeof VIDEO_STATUSES)[number]

/** A task as an upstream reports it. */
export type UpstreamVideoTask = {
  /** The upstream's id. */
  id: string
  model?: string
  /** `unknown`: a word without a known meaning, which is no verdict about the task. */
  status: VideoStatus | 'unknown'
  /** As the upstream wrote it. */
  statusWord?: string
  video?: VideoResult
  lastFrame?: VideoResult
  usage?: VideoUsage
  error?: VideoTaskError
  /** Seconds since 1970. */
  createdAt?: number
  updatedAt?: number
  settings: VideoSettings
  generateAudio?: boolean
  draft?: boolean
  serviceTier?: string
  /** Seconds after which the upstream ends the task. */
  expiresAfter?: number
  /** The caller's own id for the task, where the upstream repeats it. */
  reference?: string
  /** Fields that are not decoded, with their JSON text. */
  unknown: readonly { name: string; text: string }[]
}

/** `needsCredential`: the upstream's key must be sent with the download. */
export type VideoResult =
  | { kind: 'url'; url: string; needsCredential: boolean }
  | { kind: 'inline'; mediaType: string; base64: string }

export type VideoUsage = {
  completionTokens?: number
  totalTokens?: number
  toolCalls?: Readonly<Record<string, number>>
}

/** `code` and `message`: for clients, in the words of the video-tasks dialect. */
export type VideoTaskError = { code: string; message: string; info: ErrorInfo }

export type Decoded<Value> = { ok: true; value: Value } | { ok: false; error: ErrorInfo }
