// How videos are requested from an upstream of some dialect, and found in what it answers. Videos are made by tasks: a
// submit is answered with an id, by which the task is then queried.

import type { Decoded, UpstreamVideoTask, VideoRequest, VideoSettings } from '../canonical/video.ts'
import type { WarningReason } from '../canonical/warning.ts'
import type { Codec } from '../framing/codec.ts'
import type { Pieces } from '../framing/splice.ts'

/** What encoding a submit for an upstream depends on, besides the request. */
export type VideoTarget = {
  /** The model's name at the upstream. */
  model: string
  /** Settings that are sent where the request has none. */
  defaults: VideoSettings
  /** Settings that replace those of the request, both in fields and in flags. */
  override?: VideoSettings
  /** Fields of the request that are not sent, as the video-tasks dialect calls them. */
  drop?: readonly string[]
  /** Types of tools that are not sent. */
  dropTools?: readonly string[]
  /** The upstream's id of the draft that the request names. */
  draftTask?: string
  /** The caller's own id for the task, for dialects whose upstreams repeat one in their records. */
  reference?: string
  /** Names a field, as the video-tasks dialect calls it, that the upstream cannot express. */
  warn(field: string, reason: WarningReason): void
}

/** `path`: below the base URL, with its query. */
export type VideoCall = { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: Pieces }

export type VideoListPage = { page: number; pageSize: number }
export type UpstreamVideoList = { total: number | undefined; tasks: readonly UpstreamVideoTask[] }

export type VideoService = {
  /** Inputs may be URLs. False: the caller puts inline data in their place before encoding. */
  takesUrls: boolean
  /** Throws RequestError for what the dialect cannot express. The body is JSON. */
  submit(request: VideoRequest, target: VideoTarget, codec: Codec): VideoCall
  query(taskId: string): VideoCall
  /** Absent: the upstream cannot list its tasks. */
  list?(page: VideoListPage): VideoCall
  /** Absent: a task cannot be cancelled. */
  cancel?(taskId: string): VideoCall
  /** The task that a submit has made. Its status is `queued` where the answer does not tell it. */
  decodeSubmitted(body: Uint8Array, codec: Codec): Decoded<UpstreamVideoTask>
  decodeTask(body: Uint8Array, codec: Codec): Decoded<UpstreamVideoTask>
  decodeList?(body: Uint8Array, codec: Codec): Decoded<UpstreamVideoList>
}
