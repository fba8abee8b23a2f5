// The tokenizer, in a thread that starts with the first count and ends when it has been idle. Accounts share its time: each
// has an allowance, and a batch of the account with the most of it left comes next. So a text that is slow to tokenize delays
// only its own account, whose counts are estimates once the allowance is used up.
import { threadCode } from '@trivium/http/system/thread-code.ts'
import { createAllowances } from './allowances.ts'
import { batchesOf } from './batches.ts'
import { estimateTokens, sampleOf } from './estimate.ts'
import type { FromTokenizer, ToTokenizer } from './tokenizer-thread.ts'

export type TextCount = { tokens: number; isEstimate: boolean }

export type Tokenizer = {
  count(account: bigint, texts: readonly string[]): Promise<TextCount>
  readonly isRunning: boolean
  close(): void
}

export type TokenizerOptions = {
  /** Milliseconds of a monotonic clock. */
  clock(): number
  /** The thread failed. */
  report(message: string, error?: unknown): void
  idleMs?: number
  deadlineMs?: number
}

type Job = {
  account: bigint
  batches: Iterator<readonly string[], undefined>
  tokens: number
  end(count?: number): void
}

/** Beyond this a sample is tokenized. */
const MOST_BYTES = 1024 * 1024
const IDLE_MS = 30_000
/** Long enough for the thread to start on a busy machine, which has taken 4 s. */
const DEADLINE_MS = 10_000
const RESTART_MS = 60_000
const MOST_JOBS = 256
const MOST_JOBS_PER_ACCOUNT = 8

export function createTokenizer(options: TokenizerOptions): Tokenizer {
  const { clock, report, idleMs = IDLE_MS, deadlineMs = DEADLINE_MS } = options
  const allowances = createAllowances(clock)
  const jobs: Job[] = []
  const code = threadCode(new URL('./tokenizer-thread.ts', import.meta.url))
  let thread: Worker | undefined
  /** Set while the code of a new thread is awaited. */
  let starting: symbol | undefined
  let state: 'starting' | 'idle' | 'busy' = 'starting'
  /** The job whose batch is being tokenized. */
  let current: Job | undefined
  let sentAt = 0
  let idle: Timer | undefined
  /** After a failure the thread is not started again at once. */
  let notBefore = Number.NEGATIVE_INFINITY

  function start(): void {
    state = 'starting'
    const attempt = Symbol('start')
    starting = attempt
    void code.then((url) => {
      // It was stopped meanwhile.
      if (starting === attempt) run(new Worker(url))
    })
  }

  function run(started: Worker): void {
    starting = undefined
    thread = started
    started.onmessage = ({ data }: MessageEvent<FromTokenizer>) => {
      if (thread === started) received(data)
    }
    started.onerror = (event) => {
      if (thread === started) failed(event.message)
    }
    started.unref()
  }

  function failed(reason: string): void {
    report('the tokenizer failed; token counts are estimates for a minute', reason)
    notBefore = clock() + RESTART_MS
    stop()
  }

  /** Jobs that are not done get an estimate. */
  function stop(): void {
    starting = undefined
    thread?.terminate()
    thread = undefined
    current = undefined
    clearTimeout(idle)
    for (const job of jobs.splice(0)) job.end()
  }

  function received(message: FromTokenizer): void {
    state = 'idle'
    const job = current
    current = undefined
    if (message.type === 'counted' && job) {
      job.tokens += message.tokens
      allowances.spend(job.account, message.cpuMs)
    }
    next()
  }

  function next(): void {
    if (!thread || state !== 'idle') return
    for (let job = chooseJob(); job; job = chooseJob()) {
      const batch = job.batches.next()
      if (batch.done) {
        job.end(job.tokens)
        continue
      }
      if (allowances.left(job.account) <= 0) {
        job.end()
        continue
      }
      state = 'busy'
      current = job
      sentAt = clock()
      thread.postMessage({ texts: batch.value } satisfies ToTokenizer)
      return
    }
    idle = setTimeout(stop, idleMs)
    idle.unref()
  }

  /** The first job of the account with the most time left. */
  function chooseJob(): Job | undefined {
    let [chosen, most] = [jobs[0], Number.NEGATIVE_INFINITY]
    for (const job of jobs) {
      const left = allowances.left(job.account)
      if (left > most) [chosen, most] = [job, left]
    }
    return chosen
  }

  function tokenized(account: bigint, texts: readonly string[]): Promise<number | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        // A batch takes milliseconds: a thread that is still at the same one is stuck.
        const isStuck = state === 'busy' && clock() - sentAt >= deadlineMs / 2
        job.end()
        if (isStuck) failed('it did not answer in time')
      }, deadlineMs)
      const job: Job = {
        account,
        batches: batchesOf(texts),
        tokens: 0,
        end(count) {
          clearTimeout(timer)
          const at = jobs.indexOf(job)
          if (at !== -1) jobs.splice(at, 1)
          resolve(count)
        },
      }
      jobs.push(job)
      clearTimeout(idle)
      if (!thread && !starting) start()
      next()
    })
  }

  function isFull(account: bigint): boolean {
    const own = jobs.reduce((sum, job) => sum + (job.account === account ? 1 : 0), 0)
    return jobs.length >= MOST_JOBS || own >= MOST_JOBS_PER_ACCOUNT
  }

  return {
    async count(account, texts) {
      const isLong = exceeds(texts, MOST_BYTES)
      const { texts: counted, scale } = isLong ? sampleOf(texts) : { texts, scale: 1 }
      const isRejected = isFull(account) || allowances.left(account) <= 0 || clock() < notBefore
      const tokens = isRejected ? undefined : await tokenized(account, counted)
      if (tokens === undefined) return { tokens: estimateTokens(texts), isEstimate: true }
      return { tokens: Math.ceil(tokens * scale), isEstimate: isLong }
    },
    get isRunning() {
      return thread !== undefined || starting !== undefined
    },
    close: stop,
  }
}

function exceeds(texts: readonly string[], bytes: number): boolean {
  let total = 0
  for (const text of texts) {
    total += Buffer.byteLength(text)
    if (total > bytes) return true
  }
  return false
}
