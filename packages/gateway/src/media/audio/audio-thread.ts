// The thread that reads how long audio files last. A file that makes the parser spin costs a thread, not the event loop.
import { parseFile } from 'music-metadata'
import { countAudio } from './counted-audio.ts'

declare const self: Worker

export type ToAudioThread = { path: string }
/** `isCounted`: by samples or frames, not by what the file says of itself. */
export type FromAudioThread = { seconds: number | undefined; isCounted: boolean }

/** The whole file is read only where nothing in it says how long it is. */
const OPTIONS = { duration: true, skipCovers: true, skipPostHeaders: true }

self.onmessage = async ({ data: { path } }: MessageEvent<ToAudioThread>) => {
  // A file may be gone already, if its request was.
  self.postMessage((await measured(path).catch(() => UNKNOWN)) satisfies FromAudioThread)
}

const UNKNOWN: FromAudioThread = { seconds: undefined, isCounted: false }

async function measured(path: string): Promise<FromAudioThread> {
  const counted = await countAudio(path)
  if (counted?.isWhole) return { seconds: counted.seconds, isCounted: true }
  const said = await parsed(path)
  if (counted?.seconds === undefined) return { seconds: said, isCounted: false }
  return { seconds: Math.max(said ?? 0, counted.seconds), isCounted: true }
}

const parsed = (path: string): Promise<number | undefined> =>
  parseFile(path, OPTIONS).then(
    ({ format }) => format.duration,
    () => undefined,
  )
