// Where the figures of the overview lead: to the rows that they count.

import type { Output } from '../../api/routes.ts'
import { LINKS, pageLink } from '../../links.ts'
import { type PageId, pathOf } from '../../page-ids.ts'

type Period = Pick<Output<'GET', 'overview'>, 'range' | 'from' | 'to'>
export type RequestsLink = (filter?: Readonly<Record<string, string>>) => string

/** The page of requests has no period of an hour, but takes times. */
export const requestsOf =
  ({ range, from, to }: Period): RequestsLink =>
  (filter = {}) =>
    pageLink('requests', { ...filter, ...(range === '1h' ? { from, to } : { range }) })

type Need = { kind: string; about: string; page: PageId }

/** One thing that needs an operator leads to itself, several lead to their page. */
export function needLink([first, ...others]: readonly Need[]): string {
  if (!first) return pathOf('overview')
  if (others.length > 0 || first.about === '') return pathOf(first.page)
  // A request says what the upstream answered.
  if (first.kind === 'upstream_failing') return pageLink('requests', { upstream: first.about })
  if (first.page === 'upstreams') return LINKS.upstream(first.about)
  return first.page === 'models' ? LINKS.model(first.about) : pathOf(first.page)
}
