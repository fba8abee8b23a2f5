// Limits how long the place of contents may keep a caller waiting: a store that accepts connections and does not answer, or a disk
// that hangs, would otherwise hold requests and the slots of tasks for as long as it likes. Only time that is spent waiting for the
// store counts, not for the source of a content or for the client that reads one.
import { LEAST_PACE, type Pace, PaceMeter } from '../upstreams/public/pace.ts'
import { type BlobStore, BlobsSilent } from './blobs.ts'

/** `silenceMs`: for each piece that is written or read, for the end of a content, and for a deletion. */
export type BlobLimits = { silenceMs: number; pace: Pace }

export const BLOB_LIMITS: BlobLimits = { silenceMs: 30_000, pace: LEAST_PACE }

/** Writes that were given up and have not ended: each may have two parts in memory. With so many of them the next fails at once. */
const MOST_GIVEN_UP = 16

export function boundBlobs(blobs: BlobStore, limits: BlobLimits = BLOB_LIMITS): BlobStore {
  let givenUp = 0

  return {
    async write(id, content) {
      if (givenUp >= MOST_GIVEN_UP) throw new BlobsSilent('the store of media has not answered for a while')
      const source = content[Symbol.asyncIterator]()
      const watch = new Watch(limits)
      watch.begin()
      const work = blobs.write(id, watched(source, watch))
      try {
        return await Promise.race([work, watch.failed])
      } catch (error) {
        if (!watch.isFailed) throw error
        givenUp += 1
        // Its record may be gone when the store answers after all.
        work
          .then(() => blobs.delete(id))
          .catch(() => {})
          .finally(() => {
            givenUp -= 1
          })
        void Promise.resolve(source.return?.()).catch(() => {})
        throw error
      } finally {
        watch.pause(0)
      }
    },
    replace: (id, content) => within(limits, blobs.replace(id, content)),
    async *read(id, start, end) {
      const pieces = blobs.read(id, start, end)[Symbol.asyncIterator]()
      const meter = new PaceMeter(limits.pace)
      let isSilent = false
      try {
        for (;;) {
          const askedAt = performance.now()
          isSilent = true
          const next = await within(limits, pieces.next())
          isSilent = false
          if (next.done) return
          if (!meter.arrived(next.value.length, performance.now() - askedAt)) throw tooSlow()
          yield next.value
        }
      } finally {
        // It would wait for the piece that does not arrive.
        const returned = Promise.resolve(pieces.return?.()).catch(() => {})
        if (!isSilent) await returned
      }
    },
    delete: (id) => within(limits, blobs.delete(id)),
  }
}

/** The source is asked while the watch rests; the store is waited for from each piece to its request for the next. */
async function* watched(source: AsyncIterator<Uint8Array>, watch: Watch): AsyncGenerator<Uint8Array> {
  let taken = 0
  try {
    for (;;) {
      watch.pause(taken)
      const { done, value } = await source.next()
      if (watch.isFailed) throw silent()
      watch.begin()
      if (done) return
      taken = value.length
      yield value
    }
  } catch (error) {
    await source.return?.()
    throw error
  }
}

class Watch {
  readonly failed: Promise<never>
  isFailed = false
  readonly #limits: BlobLimits
  readonly #meter: PaceMeter
  #fail: (error: Error) => void = () => {}
  #timer: Timer | undefined
  #since = 0

  constructor(limits: BlobLimits) {
    this.#limits = limits
    this.#meter = new PaceMeter(limits.pace)
    this.failed = new Promise((_, reject) => {
      this.#fail = (error) => {
        this.isFailed = true
        reject(error)
      }
    })
    // Nobody may be listening when it fails.
    this.failed.catch(() => {})
  }

  begin(): void {
    this.#since = performance.now()
    this.#timer = setTimeout(() => this.#fail(silent()), this.#limits.silenceMs)
  }

  /** The store took `bytes`. */
  pause(bytes: number): void {
    clearTimeout(this.#timer)
    if (bytes > 0 && !this.#meter.arrived(bytes, performance.now() - this.#since)) this.#fail(tooSlow())
  }
}

async function within<T>({ silenceMs }: BlobLimits, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silent()), silenceMs)
  })
  try {
    return await Promise.race([work, silence])
  } finally {
    clearTimeout(timer)
  }
}

const silent = () => new BlobsSilent('the store of media does not answer')
const tooSlow = () => new BlobsSilent('the store of media is too slow')
