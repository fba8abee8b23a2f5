// The query of GET /api/v3/contents/generations/tasks.

import { wrong } from '../../../canonical/reading.ts'
import { VIDEO_STATUSES, type VideoStatus } from '../../../canonical/video.ts'

export type VideoListQuery = {
  /** Counts from 1. */
  page: number
  pageSize: number
  /** Empty: any. */
  statuses: readonly VideoStatus[]
  ids: readonly string[]
  model?: string
  serviceTier?: string
}

const MOST_PAGES = 500
const MOST_IN_A_PAGE = 500
const DEFAULT_PAGE_SIZE = 10
const MOST_IDS = 500

/** `parameters` in order, decoded. A filter with several values is repeated, or a list with commas. Throws RequestError. */
export function decodeListQuery(parameters: Iterable<readonly [name: string, value: string]>): VideoListQuery {
  const values = new Map<string, string[]>()
  for (const [name, value] of parameters) {
    // `filter.task_ids[]` is how some clients repeat a name.
    const key = name.replace(/\[\d*\]$/, '')
    values.set(key, [...(values.get(key) ?? []), value])
  }
  const listOf = (name: string) =>
    (values.get(name) ?? []).flatMap((value) => value.split(',')).flatMap((value) => value.trim() || [])
  const ids = listOf('filter.task_ids')
  if (ids.length > MOST_IDS) throw wrong('filter.task_ids', `filter.task_ids must not have more than ${MOST_IDS} ids`)
  const [model, serviceTier] = ['filter.model', 'filter.service_tier'].map(
    (name) => values.get(name)?.at(-1) || undefined,
  )
  return {
    page: readWhole(values, 'page_num', 1, MOST_PAGES),
    pageSize: readWhole(values, 'page_size', DEFAULT_PAGE_SIZE, MOST_IN_A_PAGE),
    statuses: listOf('filter.status').map(readStatus),
    ids,
    ...(model === undefined ? {} : { model }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
  }
}

function readWhole(values: ReadonlyMap<string, string[]>, name: string, byDefault: number, most: number): number {
  const written = values.get(name)?.at(-1)
  if (written === undefined || written === '') return byDefault
  const number = /^\d{1,6}$/.test(written) ? Number(written) : Number.NaN
  if (number >= 1 && number <= most) return number
  throw wrong(name, `${name} must be a whole number between 1 and ${most}`)
}

function readStatus(word: string): VideoStatus {
  const status = VIDEO_STATUSES.find((known) => known === word)
  if (status !== undefined) return status
  throw wrong('filter.status', `filter.status must be one of ${VIDEO_STATUSES.join(', ')}`)
}
