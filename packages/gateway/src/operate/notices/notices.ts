// What account holders were told, and how it was delivered: for them and for operators.

import {
  fields,
  ID,
  listOf,
  mapOf,
  nullable,
  number,
  string,
  TIME,
  unknown,
  word,
} from '../../request/schema/schema.ts'
import { NOTICE_KINDS, NOTICE_STATES, type Notice } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { pageFields, readPage } from '../inputs/page.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { type OperationContext, operation } from '../operation.ts'
import { resource } from '../resources/resource.ts'

export const NOTICE_FIELDS = fields({
  id: ID,
  kind: word(...NOTICE_KINDS),
  at: TIME,
  facts: mapOf(unknown()),
  withheld: nullable(string('Why it was not sent: `hour` or `queue`, by the bounds of an account.')),
  deliveries: listOf(
    fields({
      to: nullable(string('An email address; null: the webhook of the account.')),
      state: word(...NOTICE_STATES),
      tries: number(),
      at: string('When it ended; as long as it waits, when it is tried next. ISO 8601 in UTC.'),
      error: nullable(string()),
    }),
  ),
})

export const listNotices = operation({
  name: 'account notices',
  permission: 'see',
  route: {
    at: 'GET accounts/{account}/notices',
    summary: 'Lists what the holders of an account were told, newest first, with its deliveries',
    output: resource('notice', NOTICE_FIELDS),
    list: true,
  },
  input: fields({ account: ACCOUNT, ...pageFields('a notice') }),
  async run(context, { account: named, ...page }) {
    const { id } = await findAccount(context, named)
    return await noticePage(id, page, context.storage)
  },
})

/** `person`: only what a member was told. */
export async function noticePage(
  account: bigint,
  { person, ...page }: Parameters<typeof readPage>[0] & { person?: bigint },
  { notices }: Pick<OperationContext['storage'], 'notices'>,
) {
  const whose = person === undefined ? {} : { person }
  const { items, next } = await readPage<Notice>(
    page,
    (range, limit) => notices.list(account, { ...whose, ...range }, limit),
    ({ id }) => String(id),
  )
  const deliveries = Map.groupBy(await notices.deliveriesOf(items.map(({ id }) => id)), ({ notice }) => notice)
  return {
    items: items.map(({ id, kind, at, facts, withheld }) => ({
      id: String(id),
      kind,
      at: isoTime(at),
      facts: JSON.parse(facts) as Record<string, unknown>,
      withheld: withheld === '' ? null : withheld,
      deliveries: (deliveries.get(id) ?? [])
        // Others see of a member's notices only their own deliveries.
        .filter((each) => person === undefined || each.person === person)
        .map(({ email, state, tries, dueAt, error }) => ({
          to: email ?? null,
          state,
          tries,
          at: isoTime(dueAt),
          error: error === '' ? null : error,
        })),
    })),
    next,
  }
}
