// Requests of the account that were rejected before anything was held for them: they cost nothing, and have no receipt.
import type { Static } from 'typebox'
import { given, readPage, readTimes } from '../../operate/inputs/page.ts'
import { formatPlace, REJECTED_PLACE, readPlace } from '../../operate/inputs/rejected-place.ts'
import { shownCount } from '../../operate/rejected-requests.ts'
import { parseRequestId, timeOfId } from '../../request/ids.ts'
import { fields, ID, nullable, number, optional, pageOf, string, TIME } from '../../request/schema/schema.ts'
import type { RejectedCount, RejectedPlace, Storage } from '../../storage/storage.ts'
import { route } from '../route.ts'
import { keyNames, scopeOf, type Viewer } from './scope.ts'
import { PERIOD } from './usage.ts'

const PAGE = 50

const REJECTED = fields({
  id: ID,
  request_id: string('The last one of its minute with this key and this code.'),
  at: TIME,
  key_id: nullable(ID),
  key_name: nullable(string('Null for several keys.')),
  code: string(),
  status: nullable(number()),
  count: number('Requests of the minute with this key and this code.'),
  message: string(),
})

export const listRejected = route(
  'GET rejected-requests',
  {
    policy: 'member',
    summary: 'Counts requests that were rejected and cost nothing, by minute, key and error code',
    query: fields({ from: PERIOD.from, to: PERIOD.to, key: PERIOD.key, before: optional(REJECTED_PLACE) }),
    output: pageOf(REJECTED),
  },
  async (viewer, { store }) => {
    const { from, to, key, before } = viewer.query
    const filter = {
      ...ofViewer(viewer),
      ...given({ key: key === undefined ? undefined : BigInt(key) }),
      ...readTimes(given({ from, to })),
    }
    const { items, next } = await readPage<RejectedCount, RejectedPlace>(
      { limit: PAGE, ...given({ after: before }) },
      (range, limit) => store.rejectedRequests.list({ ...filter, ...range }, limit),
      formatPlace,
      readPlace,
    )
    return { items: await shownRows(items, store), next }
  },
)

export const ofViewer = (viewer: Viewer) => ({ account: viewer.account.id, ...scopeOf(viewer) })

export async function shownRows(
  rows: readonly RejectedCount[],
  { keys }: Pick<Storage, 'keys'>,
): Promise<Static<typeof REJECTED>[]> {
  const names = await keyNames(keys, rows)
  return rows.map((row) => {
    const { id, minute, key_id, code, status, count, last_request_id: request_id, reason } = shownCount(row)
    const last = parseRequestId(request_id)
    const at = last === undefined ? minute : new Date(timeOfId(last)).toISOString()
    return { id, request_id, at, key_id, key_name: names.get(row.key) ?? null, code, status, count, message: reason }
  })
}
