// Where a thing of the gateway is shown in the operators' place: by a path of its own, or opened on the page of its kind.

import { type PageId, pathOf } from './page-ids.ts'

export const pageLink = (page: PageId, filter: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams(filter).toString()
  return query === '' ? pathOf(page) : `${pathOf(page)}?${query}`
}

const below = (page: PageId, id: string): string => `${pathOf(page)}/${encodeURIComponent(id)}`

/** By the kinds that the API's search has. */
export const LINKS = {
  request: (id) => pageLink('requests', { request: id }),
  account: (id) => below('accounts', id),
  person: (id) => pageLink('people', { person: id }),
  key: (id) => pageLink('keys', { key: id }),
  model: (id) => pageLink('models', { model: id }),
  upstream: (id) => below('upstreams', id),
  group: (id) => pageLink('groups', { group: id }),
  revision: (id) => pageLink('configuration', { tab: 'revisions', revision: id }),
  code: (label) => pageLink('codes', { label }),
} as const satisfies Record<string, (id: string) => string>
