// How long uploaded audio lasts, by its content: read in a thread that starts with the first file and ends when it has been idle.
// Files are read one after the other, each for a limited time. What cannot be read in time has no known duration.
import { threadCode } from '@trivium/http/system/thread-code.ts'
import type { FromAudioThread, ToAudioThread } from './audio-thread.ts'

/** `isCounted`: by samples or frames, not by what the file says of itself. */
export type MeasuredAudio = { seconds: number; isCounted: boolean }

export type AudioDurations = {
  /** undefined: not known. */
  measure(account: bigint, path: string): Promise<MeasuredAudio | undefined>
  close(): void
}

export type AudioDurationOptions = {
  /** The time that one file may take. */
  limitMs?: number
  idleMs?: number
  /** For tests: what `new Worker` takes. */
  code?: Promise<string>
}

type Job = { account: bigint; path: string; end(measured?: MeasuredAudio): void }

const LIMIT_MS = 5_000
const IDLE_MS = 30_000
const MOST_JOBS = 64
const MOST_JOBS_PER_ACCOUNT = 8

export function createAudioDurations(options: AudioDurationOptions = {}): AudioDurations {
  const { limitMs = LIMIT_MS, idleMs = IDLE_MS } = options
  const code = options.code ?? threadCode(new URL('./audio-thread.ts', import.meta.url))
  const waiting: Job[] = []
  let current: Job | undefined
  let thread: Worker | undefined
  /** The last turn of each account that has files here: the one that waited longest is next, however many files others have. */
  const served = new Map<bigint, number>()
  let turns = 0
  const turnOf = ({ account }: Job): number => served.get(account) ?? 0
  let isStarting = false
  let isClosed = false
  /** Ends the thread if it reads one file for too long, or has had none for a while. */
  let timer: Timer | undefined

  function stop(): void {
    clearTimeout(timer)
    thread?.terminate()
    thread = undefined
    end(undefined)
  }

  function end(measured: MeasuredAudio | undefined): void {
    clearTimeout(timer)
    const ended = current
    current = undefined
    ended?.end(measured)
  }

  function start(): void {
    isStarting = true
    const run = (url: string) => {
      isStarting = false
      if (isClosed) return
      const started = new Worker(url)
      thread = started
      started.onmessage = ({ data }: MessageEvent<FromAudioThread>) => {
        const { seconds, isCounted } = data
        if (thread === started) end(seconds === undefined ? undefined : { seconds, isCounted })
        next()
      }
      started.onerror = () => {
        if (thread === started) stop()
        next()
      }
      started.unref()
      next()
    }
    const fail = () => {
      isStarting = false
      endWaiting()
    }
    void code.then(run, fail)
  }

  function endWaiting(): void {
    for (const job of [...waiting]) job.end()
  }

  function next(): void {
    if (current || isStarting) return
    const job = waiting.reduce<Job | undefined>(
      (first, each) => (first && turnOf(first) <= turnOf(each) ? first : each),
      undefined,
    )
    if (job && !thread) start()
    else if (job && thread) {
      waiting.splice(waiting.indexOf(job), 1)
      if (waiting.length === 0) served.clear()
      served.set(job.account, ++turns)
      current = job
      timer = setTimeout(restart, limitMs)
      thread.postMessage({ path: job.path } satisfies ToAudioThread)
    } else timer = setTimeout(stop, idleMs)
    timer?.unref()
  }

  function restart(): void {
    stop()
    next()
  }

  return {
    measure(account, path) {
      const own = waiting.filter((job) => job.account === account).length
      if (waiting.length >= MOST_JOBS || own >= MOST_JOBS_PER_ACCOUNT) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const job: Job = {
          account,
          path,
          end(measured) {
            clearTimeout(patience)
            const at = waiting.indexOf(job)
            if (at !== -1) waiting.splice(at, 1)
            resolve(measured)
          },
        }
        // Others may have files that are slow to read.
        const patience = setTimeout(() => job !== current && job.end(), 2 * limitMs)
        patience.unref()
        if (!current) clearTimeout(timer)
        waiting.push(job)
        next()
      })
    },
    close() {
      isClosed = true
      endWaiting()
      stop()
    },
  }
}
