// The thread that reads how long audio files last. A file that makes the parser spin costs a thread, not the event loop.
import { parseFile } from 'music-metadata'
import { isWebm, TAIL_BYTES, webmDuration } from './webm-duration.ts'

declare const self: Worker

export type ToAudioThread = { path: string }
export type FromAudioThread = { seconds: number | undefined }

/** The whole file is read only where nothing in it says how long it is. */
const OPTIONS = { duration: true, skipCovers: true, skipPostHeaders: true }

self.onmessage = async ({ data: { path } }: MessageEvent<ToAudioThread>) => {
  // A file may be gone already, if its request was.
  const seconds = (await parsed(path)) ?? (await ofRecording(path).catch(() => undefined))
  self.postMessage({ seconds } satisfies FromAudioThread)
}

const parsed = (path: string): Promise<number | undefined> =>
  parseFile(path, OPTIONS).then(
    ({ format }) => format.duration,
    () => undefined,
  )

async function ofRecording(path: string): Promise<number | undefined> {
  const file = Bun.file(path)
  if (!isWebm(await file.slice(0, 4).bytes())) return undefined
  return webmDuration(Buffer.from(await file.slice(Math.max(0, file.size - TAIL_BYTES)).bytes()))
}
