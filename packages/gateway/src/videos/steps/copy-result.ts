// Copies a finished video, and its last frame if requested, into the media store: the upstream's URL is temporary, and names it.
// A copy that fails is repeated until that URL has expired, or certainly has no video. Charged is what was made, once it can be
// handed out.

import type { UpstreamVideoTask, VideoResult } from '@trivium/protocol/canonical/video.ts'
import { decodeBase64 } from '../../bytes/base64.ts'
import { codec } from '../../bytes/codec.ts'
import { endWith } from '../../tasks/steps/poll.ts'
import { changeTask, formatTaskId, storeNow } from '../../tasks/task.ts'
import { TASK_TIMING } from '../../tasks/timing.ts'
import { type Located, locate } from '../../tasks/upstream.ts'
import { callSettings, credentialHeader } from '../../upstreams/endpoint.ts'
import { ownHostOf } from '../../upstreams/own-host.ts'
import { PublicFetchError } from '../../upstreams/public/public-fetch-error.ts'
import type { VideoDependencies } from '../dependencies.ts'
import type { StoredMedia, VideoTask } from '../task.ts'
import { queryTask } from '../upstream.ts'
import { chargeFor } from './charge.ts'
import { type Content, mediaContent, NoVideo } from './media-content.ts'
import { urlExpiry } from './url-expiry.ts'

export const LARGEST_VIDEO = 2 * 1024 * 1024 * 1024
const LARGEST_FRAME = 64 * 1024 * 1024
const COPY_WITHIN_MS = 30 * 60_000
const SHORTEST_KEPT_MS = 60 * 60_000

/** For a task in `copying`. undefined: another process has changed it. */
export async function copyResult(task: VideoTask, deps: VideoDependencies): Promise<VideoTask | undefined> {
  const { tasks } = deps.store
  const stop = new AbortController()
  const renewal = setInterval(async () => {
    const isOurs = await tasks.renew(task.id, task.version, TASK_TIMING.claimMs).catch(() => true)
    if (!isOurs) stop.abort()
  }, TASK_TIMING.claimMs / 3)
  try {
    const { result, isFresh } = await currentResult(task, deps)
    const media = await copyAll(task, result, stop.signal, deps).catch((error: unknown) => {
      // What an old URL says is no verdict: the upstream may have another one by now.
      throw error instanceof NoVideo && !isFresh ? new Error(error.message) : error
    })
    const end = { state: 'succeeded' as const, ...chargeFor(task, result) }
    const stored = withoutUrls({ ...task.data.result, ...result })
    const closing = await changeTask(tasks, task, { ...endWith(end), data: { end, media, result: stored } })
    if (!closing) await removeCopies(media, deps)
    return closing
  } catch (error) {
    if (stop.signal.aborted) return undefined
    return await retryLater(task, error, deps)
  } finally {
    clearInterval(renewal)
  }
}

/** The vendor's URLs name the vendor, and the store need not have them any longer. */
function withoutUrls({ video: _, lastFrame: __, ...rest }: UpstreamVideoTask): UpstreamVideoTask {
  return rest
}

type Current = { result: UpstreamVideoTask; isFresh: boolean }

/** The upstream may give another URL each time. `isFresh`: it has just been asked. */
async function currentResult(task: VideoTask, deps: VideoDependencies): Promise<Current> {
  const { result, copies = 0, noVideo = 0 } = task.data
  if (result?.video && copies === 0 && noVideo === 0) return { result, isFresh: true }
  const answer = task.upstreamTask === undefined ? undefined : await queryTask(task, task.upstreamTask, deps)
  const made = answer?.is === 'answered' && answer.value.status === 'succeeded' ? answer.value : undefined
  if (made?.video) return { result: made, isFresh: true }
  if (result?.video) return { result, isFresh: false }
  throw made ? new NoVideo('the upstream gives no video') : new Error('the upstream does not answer')
}

async function copyAll(
  task: VideoTask,
  { video, lastFrame }: UpstreamVideoTask,
  signal: AbortSignal,
  deps: VideoDependencies,
): Promise<Copies> {
  const located = locate(task, deps.catalogue())
  if (!located || !video) throw new Error('the upstream is not in the configuration any more')
  const wanted = task.data.returnLastFrame === true ? lastFrame : undefined
  const copy = (result: VideoResult, type: string, most: number) =>
    copyOne(task, result, { type, most, signal, located }, deps)
  const stored = { video: await copy(video, 'video/mp4', LARGEST_VIDEO) }
  if (!wanted) return stored
  try {
    return { ...stored, lastFrame: await copy(wanted, 'image/png', LARGEST_FRAME) }
  } catch (error) {
    await removeCopies(stored, deps)
    throw error
  }
}

/** No task refers to these. What cannot be removed now expires. */
async function removeCopies({ video, lastFrame }: Copies, { mediaStore }: VideoDependencies): Promise<void> {
  for (const media of [video, lastFrame]) if (media) await mediaStore.remove(media.id).catch(() => {})
}

type Copies = NonNullable<VideoTask['data']['media']>

type CopyOptions = { type: string; most: number; signal: AbortSignal; located: Located }

async function copyOne(
  { account, data }: VideoTask,
  result: VideoResult,
  { type, most, signal, located }: CopyOptions,
  { mediaStore, downloadPublic, catalogue, embedded }: VideoDependencies,
): Promise<StoredMedia> {
  const { media } = catalogue().config.retention
  const keepMs = media === 'off' ? SHORTEST_KEPT_MS : media
  const put = (content: Content, contentType: string) =>
    mediaStore.put(mediaContent(content), { owner: account, contentType, keepMs })
  if (result.kind === 'inline') {
    const { id, expiresAt } = await put(decodeBase64([codec.encode(result.base64)]), result.mediaType)
    return { id, expiresAt }
  }
  const { upstream, key } = located
  if (upstream.embedded) {
    const { status, body } = await embedded(new Request(result.url, { signal }))
    if (status !== 200 || !body) throw new Error(`the sandbox answered with status ${status}`)
    const { id, expiresAt } = await put(body, type)
    return { id, expiresAt }
  }
  const { credential } = callSettings(upstream, data.dialect)
  const download = await downloadPublic(result.url, {
    maxBytes: most,
    timeoutMs: COPY_WITHIN_MS,
    idleMs: TASK_TIMING.silenceMs,
    pace: TASK_TIMING.copyPace,
    signal,
    redirects: 3,
    allowHost: ownHostOf(upstream),
    allowPrivate: upstream.allowPrivate,
    ...(result.needsCredential ? { headers: credentialHeader(credential, key) } : {}),
  })
  if (download.status !== 200) {
    download.discard()
    const message = `the video's URL answered with status ${download.status}`
    throw isDefinite(download.status) ? new NoVideo(message) : new Error(message)
  }
  const { id, expiresAt } = await put(download.body, type)
  return { id, expiresAt }
}

/** A client's error that does not pass by itself. */
const isDefinite = (status: number): boolean => status >= 400 && status < 500 && !PASSING.includes(status)
const PASSING: readonly number[] = [408, 425, 429]

async function retryLater(task: VideoTask, error: unknown, deps: VideoDependencies): Promise<VideoTask | undefined> {
  const { copies = 0, noVideo: before = 0, result, finishedAt = storeNow(task) } = task.data
  deps.log.warn('video not copied', { task: formatTaskId(task.id), upstream: task.upstream, error: String(error) })
  const url = result?.video?.kind === 'url' ? result.video.url : ''
  const { hopelessPausesMs, longestCopyPauseMs, firstCopyPauseMs } = TASK_TIMING
  const noVideo = error instanceof NoVideo ? before + 1 : before
  const isHopeless =
    (error instanceof PublicFetchError && error.reason === 'too_large') || noVideo > hopelessPausesMs.length
  if (isHopeless || storeNow(task) >= urlExpiry(url, finishedAt))
    return changeTask(deps.store.tasks, task, endWith({ state: 'failed', error: NOT_COPIED, mayBeBilled: true }))
  if (noVideo > before)
    return changeTask(deps.store.tasks, task, { dueInMs: hopelessPausesMs[before] ?? 0, data: { noVideo } })
  const dueInMs = Math.min(longestCopyPauseMs, firstCopyPauseMs * 2 ** copies)
  return changeTask(deps.store.tasks, task, { dueInMs, data: { copies: copies + 1 } })
}

const NOT_COPIED = {
  code: 'InternalServiceError',
  message: 'The video could not be downloaded from the upstream. It was not charged. Submit the task again.',
}
