// The models that an upstream lists for its key. No vendor bills that.
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import type { Send } from '../send.ts'
import { cloudLists, type ListedName, type ModelSource } from './cloud-lists.ts'
import { parsed, timedRequest } from './timed-request.ts'

/** The most bytes of all pages together. */
const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 30_000
const MOST_PAGES = 20
const MOST_MODELS = 5_000
const PAGE_SIZE = 1_000
/** A name that no configuration can have is not shown. */
const LONGEST_NAME = 300

/** `isComplete` false: the list is longer than what is read. */
export type ModelListing = {
  models: string[]
  isComplete: boolean
  /** The models behind opaque names, where the upstream tells. */
  baseModels: ReadonlyMap<string, string>
}
export type FailedListing = { status: number | null; problem: string }

/** How a dialect asks for pages and reads them. `next`: the query of the next page; absent: there is none. */
type Paging = { first: string; next(page: Page): string | undefined }
type Page = Readonly<Record<string, unknown>>

const PAGINGS: Readonly<Partial<Record<DialectId, Paging>>> = {
  messages: {
    first: `?limit=${PAGE_SIZE}`,
    next: ({ has_more, last_id }) =>
      has_more === true && typeof last_id === 'string'
        ? `?limit=${PAGE_SIZE}&after_id=${encodeURIComponent(last_id)}`
        : undefined,
  },
  'generate-content': {
    first: `?pageSize=${PAGE_SIZE}`,
    next: ({ nextPageToken: token }) =>
      typeof token === 'string' && token !== ''
        ? `?pageSize=${PAGE_SIZE}&pageToken=${encodeURIComponent(token)}`
        : undefined,
  },
}

/** By its dialect, for an upstream that has no lists of its own. */
function usualList(upstream: Upstream): ModelSource & { dialect: DialectId } {
  const dialect: DialectId = upstream.endpoints[0]?.dialect ?? (upstream.images ? 'images' : 'chat')
  const { healthPath } = upstream
  // The health path of some vendors says something about the key instead.
  const path = healthPath?.endsWith('/models') ? healthPath : DIALECTS[dialect].endpoint.modelsPath
  const { first = '', next } = PAGINGS[dialect] ?? {}
  return { upstream, dialect, path, first, ...(next ? { next } : {}), read: namesIn }
}

const NOT_THERE: readonly (number | null)[] = [404, 405]

export async function listUpstreamModels(
  send: Send,
  upstream: Upstream,
  timeoutMs = TIMEOUT_MS,
): Promise<ModelListing | FailedListing> {
  const usual = usualList(upstream)
  const own = cloudLists(upstream)
  const reading: Reading = { send, dialect: usual.dialect, end: performance.now() + timeoutMs, bytes: MAX_BYTES }
  const models = new Map<string, string | undefined>()
  let isComplete = true
  for (const [index, source] of (own.length > 0 ? own : [usual]).entries()) {
    let read = await readList(source, models, reading)
    const isAbsent = typeof read === 'object' && index === 0 && NOT_THERE.includes(read.status)
    if (isAbsent && source !== usual) read = await readList(usual, models, reading)
    // What the first list has is worth showing without the others.
    if (typeof read === 'object' && index === 0) return read
    isComplete &&= read === true
  }
  const names = [...models.keys()].slice(0, MOST_MODELS)
  const bases = [...models].flatMap(([name, base]) => (base === undefined ? [] : [[name, base] as const]))
  return { models: names, isComplete: isComplete && models.size <= MOST_MODELS, baseModels: new Map(bases) }
}

type Reading = { send: Send; dialect: DialectId; end: number; bytes: number }

/** True: it is complete. */
async function readList(
  { upstream, path, first, next, read }: ModelSource,
  into: Map<string, string | undefined>,
  reading: Reading,
): Promise<boolean | FailedListing> {
  let query: string | undefined = first
  for (let pages = 0; query !== undefined; pages++) {
    const leftMs = reading.end - performance.now()
    if (pages === MOST_PAGES || into.size >= MOST_MODELS || leftMs <= 0 || reading.bytes <= 0) return false
    let page: Page = {}
    const { dialect } = reading
    const sent = { method: 'GET' as const, path: path + query, body: [], dialect, maxBytes: reading.bytes }
    const { status, problem } = await timedRequest(
      reading.send,
      upstream,
      sent,
      (text) => {
        reading.bytes -= Buffer.byteLength(text)
        const body = parsed(text)
        const names = typeof body === 'object' && body !== null ? read(body as Page) : undefined
        if (!names) return { problem: `GET ${path} does not answer with a list of models` }
        for (const { name, base } of names) if (name !== '' && name.length <= LONGEST_NAME) into.set(name, base)
        page = body as Page
        return {}
      },
      leftMs,
    )
    if (problem !== null) return { status, problem }
    query = next?.(page)
  }
  return true
}

/** Lists are `{ data: [{ id }] }`, `{ models: [{ name }] }`, or a bare array of such entries. */
function namesIn(page: Page): ListedName[] | undefined {
  const entries = [page, page.data, page.models].find(Array.isArray)
  return entries?.flatMap((entry: unknown) => {
    const { id, name } = (typeof entry === 'object' && entry !== null ? entry : {}) as Page
    const known = typeof id === 'string' ? id : name
    return typeof known === 'string' ? [{ name: known.replace(/^models\//, '') }] : []
  })
}
