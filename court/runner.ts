// Runs cells: several at once, each with a time limit and the recording of its own requests.
import { randomBytes } from 'node:crypto'
import { type Cell, Finding, type ModelKind, NotApplicable } from './cell.ts'
import { type Claims, reasonNotToClaim } from './claims.ts'
import { type Exchange, type RecorderOptions, startRecorder } from './recorder.ts'
import type { Vendor } from './vendor/vendor.ts'

export type Result = Pick<Cell, 'area' | 'dialect' | 'client' | 'endpoint' | 'name'> & {
  model: string
  outcome: 'passed' | 'failed'
  /** Why the product does not claim to serve it; absent: it does. */
  unclaimed?: string
  milliseconds: number
  /** What a failed cell found. */
  finding?: string
  exchanges?: readonly Exchange[]
}

export type CourtOptions = Pick<RecorderOptions, 'gateway' | 'headers'> & {
  key: string
  models: Readonly<Partial<Record<ModelKind, readonly string[]>>>
  claims: Claims
  vendor?: Vendor | undefined
  charging?: { begin(): Promise<Charged> } | undefined
  concurrency?: number
  cellTimeoutMs?: number
  onResult?(result: Result, done: number, all: number): void
}

/** USD that the gateway charged for these requests. */
export type Charged = (exchanges: readonly Exchange[]) => Promise<number | undefined>

const CONCURRENCY = 8
const CELL_TIMEOUT_MS = 60_000
/** How many requests of a failed cell are kept. */
const MOST_SHOWN = 8

export async function holdCourt(cells: readonly Cell[], options: CourtOptions): Promise<Result[]> {
  const { gateway, headers = {}, vendor, key, concurrency = CONCURRENCY, onResult = () => {} } = options
  const secrets = [key, ...Object.values(headers).filter((value) => /^(sk|pk|key)-|^Bearer /i.test(value))]
  const recorder = await startRecorder({ gateway, headers, secrets, onBody: (cell) => vendor?.delivered(cell) })
  const trials = cells.flatMap((cell, turn) => {
    const models = options.models[cell.model] ?? []
    if ((cell.needsVendor && vendor === undefined) || models.length === 0) return []
    const chosen = cell.oneModel ? models.slice(turn % models.length).slice(0, 1) : models
    return chosen.map((model) => ({ cell, model }))
  })
  const results: Result[] = []
  // Cells after that would say nothing.
  let isStopped = false
  // A vendor may serve several courts.
  const run = randomBytes(3).toString('hex')
  const attempt = async ({ cell, model }: { cell: Cell; model: string }, index: number) => {
    const mark = `court-${run}-${index + 1}`
    const exchanges = recorder.exchangesOf(mark)
    const abort = new AbortController()
    const { signal } = abort
    const began = performance.now()
    const tried = async () => {
      const charged = cell.alone ? await options.charging?.begin() : undefined
      const origin = recorder.originOf(mark)
      await cell.run({ origin, key, model, mark, signal, exchanges, vendor, charged })
    }
    const thrown = await within(options.cellTimeoutMs ?? CELL_TIMEOUT_MS, abort, tried())
    if (thrown instanceof NotApplicable) return
    if (thrown !== undefined && !isStopped && !(await isReachable(gateway))) isStopped = true
    const words = thrown === undefined ? undefined : describe(thrown)
    const finding = isStopped && words ? `the gateway stopped, and the court with it: ${words}` : words
    const { area, dialect, client, endpoint, name } = cell
    const unclaimed = reasonNotToClaim(options.claims, cell, model)
    const result: Result = {
      area,
      dialect,
      client,
      endpoint,
      name,
      model,
      ...(unclaimed === undefined ? {} : { unclaimed }),
      outcome: finding === undefined ? 'passed' : 'failed',
      milliseconds: Math.round(performance.now() - began),
      ...(finding === undefined ? {} : { finding, exchanges: exchanges.slice(-MOST_SHOWN) }),
    }
    results.push(result)
    onResult(result, results.length, trials.length)
  }
  try {
    const numbered = trials.map((trial, index) => ({ trial, index }))
    const queue = numbered.filter(({ trial }) => !trial.cell.alone)
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined && !isStopped; next = queue.shift())
        await attempt(next.trial, next.index)
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    for (const { trial, index } of numbered) if (trial.cell.alone && !isStopped) await attempt(trial, index)
  } finally {
    recorder.stop()
  }
  return results
}

/** Anything is an answer. A busy gateway may take a while. */
async function isReachable(gateway: string): Promise<boolean> {
  for (let turn = 0; turn < 10; turn++) {
    const answer = await fetch(gateway, { signal: AbortSignal.timeout(5_000), redirect: 'manual' }).catch(
      () => undefined,
    )
    await answer?.body?.cancel()
    if (answer) return true
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  return false
}

/** What was thrown, or undefined. */
async function within(ms: number, abort: AbortController, running: Promise<void>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<unknown>((resolve) => {
    timer = setTimeout(() => {
      abort.abort()
      resolve(new Finding(`no end within ${ms / 1_000} s`))
    }, ms)
  })
  const thrown = await Promise.race([
    running.then(
      () => undefined,
      (error: unknown) => error ?? new Finding('?'),
    ),
    late,
  ])
  clearTimeout(timer)
  return thrown
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : ''
  return `${thrown.constructor === Error || thrown instanceof Finding ? '' : `${thrown.constructor.name}: `}${thrown.message}${cause}`
}
