// The thread that reads how long audio files last. A file that makes the parser spin costs a thread, not the event loop.
import { parseFile } from 'music-metadata'

declare const self: Worker

export type ToAudioThread = { path: string }
export type FromAudioThread = { seconds: number | undefined }

/** The whole file is read only where nothing in it says how long it is. */
const OPTIONS = { duration: true, skipCovers: true, skipPostHeaders: true }

self.onmessage = async ({ data }: MessageEvent<ToAudioThread>) => {
  self.postMessage({ seconds: await durationOf(data.path) } satisfies FromAudioThread)
}

async function durationOf(path: string): Promise<number | undefined> {
  try {
    return (await parseFile(path, OPTIONS)).format.duration
  } catch {
    return undefined
  }
}
