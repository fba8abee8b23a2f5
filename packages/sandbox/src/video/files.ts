// The files that tasks have made. They are rendered from the task when they are downloaded.

import { type Bytes, bodyOf, type Sleep, type Step } from '../delivery/body.ts'
import { LABELLED } from '../delivery/json.ts'
import { taskNotFound } from './error.ts'
import { renderFilm, sizeOf } from './film.ts'
import { statusOf, type Task } from './tasks.ts'

/** Below the dialect's base URL, as its other paths are. */
const FILE = /^\/api\/v3\/sandbox-videos\/([\w-]+)\.(mp4|png)$/
const PIECE_BYTES = 32 * 1024

export type FileKind = 'mp4' | 'png'

/** A file that can be downloaded without a key. undefined: the path of something else. */
export function fileAt(pathname: string): { taskId: string; kind: FileKind } | undefined {
  const [, taskId, kind] = FILE.exec(pathname) ?? []
  return taskId === undefined ? undefined : { taskId, kind: kind === 'png' ? 'png' : 'mp4' }
}

export async function download(
  task: Task,
  kind: FileKind,
  { now, sleep, signal }: { now: number; sleep: Sleep; signal: AbortSignal },
): Promise<Response> {
  const { order } = task
  if (statusOf(task, now).status !== 'succeeded') throw taskNotFound()
  const { mp4, lastFrame } = await renderFilm({ ...order, ...sizeOf(order.resolution, order.ratio) })
  const file = kind === 'mp4' ? mp4 : lastFrame
  const headers = { ...LABELLED, 'content-type': kind === 'mp4' ? 'video/mp4' : 'image/png' }
  const pause = order.faults.numbers['slow-download']
  if (pause === undefined) return new Response(file, { headers })
  const withLength = { ...headers, 'content-length': String(file.length) }
  return new Response(bodyOf(slowly(file, pause), signal, sleep), { headers: withLength })
}

function* slowly(file: Bytes, ms: number): Generator<Step> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) {
    yield { type: 'wait', ms }
    yield { type: 'write', bytes: file.subarray(at, at + PIECE_BYTES) }
  }
}
