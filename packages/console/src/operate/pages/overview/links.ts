// Where the figures of the overview lead: to the rows that they count.

import { type PageId, pathOf } from '../../page-ids.ts'

type Filter = Readonly<Record<string, string>>

const link = (page: PageId, filter: Filter = {}): string => {
  const query = new URLSearchParams(filter).toString()
  return query === '' ? pathOf(page) : `${pathOf(page)}?${query}`
}

/** Requests since the beginning of the period. */
export const requestsLink = (from: string | undefined, filter: Filter = {}): string =>
  link('requests', { ...filter, ...(from === undefined ? {} : { from }) })

export const accountLink = (id: string): string => `${pathOf('accounts')}/${id}`
export const upstreamLink = (id: string): string => `${pathOf('upstreams')}/${encodeURIComponent(id)}`
export const modelLink = (id: string): string => link('models', { model: id })

type Need = { kind: string; about: string; page: PageId }

/** One thing that needs an operator leads to itself, several lead to their page. */
export function needLink([first, ...others]: readonly Need[]): string {
  if (!first) return pathOf('overview')
  if (others.length > 0 || first.about === '') return pathOf(first.page)
  if (first.page === 'upstreams') return upstreamLink(first.about)
  return first.page === 'models' ? modelLink(first.about) : pathOf(first.page)
}
