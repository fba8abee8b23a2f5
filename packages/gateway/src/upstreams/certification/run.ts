// Runs the checks of a certification one after the other, and makes the rows of its table.
import { secretsOfAuth } from '../../config/secret-paths.ts'
import type { Upstream } from '../../config/types.ts'
import type { Send } from '../send.ts'
import type { Check, Outcome, Verdict } from './check.ts'
import { type Exchange, watch } from './exchange.ts'
import { openScrubber, type Scrubber } from './scrub.ts'

export type Row = Verdict & { part: string; check: string }

/** A check with what came of it. `outcome`: undefined: nothing was called. */
export type Ran = { check: Check; rows: Row[]; outcome: Outcome | undefined }

export type RunOptions = {
  /** Nothing more is called then. */
  isOver(): boolean
  /** Keeps scrubbed responses. */
  records: boolean
  sleep?(ms: number): Promise<unknown>
}

/** Rate limits, services that are overloaded, and local servers that load a model. */
const BUSY: readonly number[] = [429, 503, 529]
/** The most waits in one check. */
const MOST_WAITS = 2
const LONGEST_WAIT_MS = 20_000
const USUAL_WAIT_MS = 5_000

export async function runChecks(
  send: Send,
  upstream: Upstream,
  checks: readonly Check[],
  { isOver, records, sleep = Bun.sleep }: RunOptions,
): Promise<{ ran: Ran[]; recordings: Recording[] }> {
  const watched = watch(send, records)
  const scrubber = openScrubber(namesOf(upstream))
  const recordings: Recording[] = []
  const ran: Ran[] = []
  /** Why the other checks of a part would fail alike. */
  const stopped = new Map<string, string>()

  async function call(check: Check): Promise<Outcome> {
    for (let waits = 0; ; waits++) {
      const outcome = await check.run(watched.send, upstream)
      const last = watched.takeLast()
      if (last) scrubber.learn(last.headers)
      if (BUSY.includes(outcome.status ?? 0) && waits < MOST_WAITS && !isOver()) {
        await sleep(waitOf(last))
        continue
      }
      const recording = records && last && !outcome.isUnfit && recordingOf(check.part, check.rows[0], last, scrubber)
      if (recording) recordings.push(recording)
      return outcome
    }
  }

  for (const check of checks) {
    const { part } = check
    const skipped = check.known ?? skip(stopped.get(part) ?? (isOver() ? 'the time of a certification was over' : null))
    const outcome = skipped ? undefined : await call(check)
    const verdicts = outcome?.verdicts ?? []
    const rows = check.rows.map((name, index) => {
      const { result, reason } = skipped ?? verdicts[index] ?? NOT_RUN
      return { part, check: name, result, reason: reason === null ? null : scrubber.text(reason) }
    })
    ran.push({ check, rows, outcome })
    if (outcome && isHopeless(outcome)) stopped.set(part, `'${check.rows[0]}' failed in a way that all would`)
  }
  return { ran, recordings }
}

const NOT_RUN: Verdict = { result: 'not run', reason: null }
const skip = (reason: string | null): Verdict | undefined =>
  reason === null ? undefined : { result: 'not run', reason }

/** Nobody answers, or the key is not accepted. */
const isHopeless = ({ status, verdicts }: Outcome): boolean =>
  (status === null || [401, 402, 403].includes(status)) && verdicts.some(({ result }) => result === 'failed')

function waitOf(last: Exchange | undefined): number {
  const seconds = Number(last?.headers.get('retry-after') ?? Number.NaN)
  return Math.min(LONGEST_WAIT_MS, Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : USUAL_WAIT_MS)
}

/** Shorter ones are no secrets, such as `none`, and words of other texts. */
const SHORTEST_KEY = 8

/** Its keys, and what of a base URL may be the customer's own: the host with its first label, and the owner in its path. */
function namesOf({ keys, auth, baseUrl }: Upstream): string[] {
  const { hostname, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { hostname: '', pathname: '' }
  const owners = [...pathname.matchAll(/\/(?:accounts|projects|organizations|workspaces)\/([^/]+)/g)]
  return [
    ...[...keys, ...secretsOfAuth(auth)].filter(({ length }) => length >= SHORTEST_KEY),
    hostname,
    hostname.split('.')[0] ?? '',
    ...owners.map(([, owner]) => owner ?? ''),
  ]
}

// Scrubbed responses as files, in the form that the tests of decoders replay: NAME.json, or NAME.chunks.txt with one event per line.
/** `file`: below the folder. */
type Recording = { file: string; text: string }

/** undefined: nothing that could be scrubbed. */
function recordingOf(part: string, row: string, exchange: Exchange, scrubber: Scrubber): Recording | undefined {
  const { status, headers, body } = exchange
  const type = headers.get('content-type') ?? ''
  if (body === undefined || body === '') return undefined
  const name = row.toLowerCase().replaceAll(' ', '-')
  const isError = status >= 300
  const place = isError ? `errors/${part}-${name}` : `${part}/${name}`
  if (/event-stream/.test(type)) return { file: `${place}.chunks.txt`, text: eventsOf(body, scrubber) }
  return /json/.test(type) ? { file: `${place}.json`, text: `${scrubber.json(body)}\n` } : undefined
}

const eventsOf = (body: string, scrubber: Scrubber): string =>
  body
    .split(/\r?\n/)
    .flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
    .filter((data) => data !== '[DONE]')
    .map((data) => `${scrubber.json(data)}\n`)
    .join('')
