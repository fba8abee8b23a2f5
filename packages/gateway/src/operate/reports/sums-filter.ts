// What reports of usage are narrowed down to.
import type { Static } from 'typebox'
import { fields, idOf, optional, text } from '../../request/schema/schema.ts'
import { findAccount, personNamed } from '../inputs/find-account.ts'
import { findEndUser } from '../inputs/find-end-user.ts'
import { given } from '../inputs/page.ts'
import { ACCOUNT, ATTRIBUTED } from '../inputs/schemas.ts'
import type { OperationContext } from '../operation.ts'

const NAME = text({ max: 300 })

export const SUMS_FILTER = {
  account: optional(ACCOUNT),
  key: optional(idOf('a key')),
  /** The id or email address of who made the keys; 0: an operator, or the command line. */
  person: optional(text({ max: 320 })),
  model: optional(NAME),
  upstream: optional(NAME),
  tag: ATTRIBUTED.tag,
  end_user: ATTRIBUTED.end_user,
}
const FILTER = fields(SUMS_FILTER)

export async function sumsFilter(context: OperationContext, sought: Static<typeof FILTER>) {
  const { account: named, key, person, model, upstream, tag, end_user } = sought
  const account = named === undefined ? undefined : (await findAccount(context, named)).id
  return given({
    account,
    key: key === undefined ? undefined : BigInt(key),
    person: person === undefined ? undefined : person === '0' ? 0n : (await personNamed(context, person)).id,
    model,
    upstream,
    tag,
    endUser: await findEndUser(context, account, end_user),
  })
}
