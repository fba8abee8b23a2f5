// Limits how many responses with stored objects are being sent at once. Anyone who has a signed URL can ask for them, without a
// key, and each keeps a file and a buffer until it has been read.
import { mayTake } from '../sharing/fair-share.ts'

/** A video player has two or three requests under way, a download manager a handful. */
export const MOST_OF_OBJECT = 8
/** Each has up to 256 KiB in memory, or 2 MiB from S3. */
export const MOST_READS = 512

export type MediaReader = {
  /** The address, or the /64, of the client. */
  network: string
  /** Its /24 or /48. All of them share the reads: none has more than half. */
  wideNetwork: string
}

export type MediaReads = {
  /** To be called at the end of the read. A word: which limit is reached. */
  begin(object: string, reader: MediaReader): (() => void) | 'object' | 'all'
}

export function createMediaReads(most = MOST_READS, mostOfObject = MOST_OF_OBJECT): MediaReads {
  /** Reads by object and network, and by wide network. */
  const counts = new Map<string, number>()
  let reads = 0
  const countOf = (name: string) => counts.get(name) ?? 0

  function add(name: string, change: 1 | -1): void {
    const count = countOf(name) + change
    if (count > 0) counts.set(name, count)
    else counts.delete(name)
  }

  return {
    begin(object, { network, wideNetwork }) {
      const ofObject = `${object} ${network}`
      if (countOf(ofObject) >= mostOfObject) return 'object'
      if (!mayTake(countOf(wideNetwork), reads, most)) return 'all'
      const change = (by: 1 | -1) => {
        reads += by
        for (const name of [ofObject, wideNetwork]) add(name, by)
      }
      change(1)
      let isOver = false
      return () => {
        if (!isOver) change(-1)
        isOver = true
      }
    },
  }
}
