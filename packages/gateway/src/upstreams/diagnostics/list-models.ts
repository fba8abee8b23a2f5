// The models that an upstream lists for its key. No vendor bills that.
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import type { Send } from '../send.ts'
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
export type ModelListing = { models: string[]; isComplete: boolean }
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

export async function listUpstreamModels(
  send: Send,
  upstream: Upstream,
  timeoutMs = TIMEOUT_MS,
): Promise<ModelListing | FailedListing> {
  const dialect: DialectId = upstream.endpoints[0]?.dialect ?? (upstream.images ? 'images' : 'chat')
  const { healthPath } = upstream
  // The health path of some vendors says something about the key instead.
  const path = healthPath?.endsWith('/models') ? healthPath : DIALECTS[dialect].endpoint.modelsPath
  const paging = PAGINGS[dialect]
  const end = performance.now() + timeoutMs
  const models = new Set<string>()
  let bytes = MAX_BYTES
  let query: string | undefined = paging?.first ?? ''
  for (let pages = 0; query !== undefined; pages++) {
    const leftMs = end - performance.now()
    if (pages === MOST_PAGES || models.size >= MOST_MODELS || leftMs <= 0 || bytes <= 0)
      return { models: [...models].slice(0, MOST_MODELS), isComplete: false }
    let page: Page = {}
    const sent = { method: 'GET' as const, path: path + query, body: [], dialect, maxBytes: bytes }
    const { status, problem } = await timedRequest(
      send,
      upstream,
      sent,
      (text) => {
        bytes -= Buffer.byteLength(text)
        const names = namesIn(parsed(text))
        if (!names) return { problem: `GET ${path} does not answer with a list of models` }
        for (const name of names.models) models.add(name)
        page = names.page
        return {}
      },
      leftMs,
    )
    if (problem !== null) return { status, problem }
    query = paging?.next(page)
  }
  return { models: [...models].slice(0, MOST_MODELS), isComplete: models.size <= MOST_MODELS }
}

/** Lists are `{ data: [{ id }] }`, `{ models: [{ name }] }`, or a bare array of such entries. */
function namesIn(body: unknown): { models: string[]; page: Page } | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const page = body as Page
  const entries = [body, page.data, page.models].find(Array.isArray)
  if (!entries) return undefined
  const models = entries.flatMap((entry: unknown) => {
    const { id, name } = (typeof entry === 'object' && entry !== null ? entry : {}) as Page
    const known = typeof id === 'string' ? id : name
    return typeof known === 'string' && known !== '' && known.length <= LONGEST_NAME
      ? [known.replace(/^models\//, '')]
      : []
  })
  return { models, page }
}
