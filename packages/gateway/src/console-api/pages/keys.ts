// Keys of an account: what operate/keys.ts does, on behalf of its holder. And the groups that a key can have.

import { groupsFor } from '../../catalogue/offered-groups.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { formatMillionths } from '../../money/amount.ts'
import { CHANGE_KEY, KEY_FILTER, NEW_KEY, ROTATE_KEY } from '../../operate/inputs/schemas.ts'
import * as keys from '../../operate/keys.ts'
import { perform } from '../../operate/operation.ts'
import { KEY } from '../../operate/resources/keys.ts'
import { boolean, fields, ID, idOf, listOf, number, optional, pageOf, string } from '../../request/schema/schema.ts'
import { holderContext, route } from '../route.ts'

const PAGE = 50

export const listKeys = route(
  'GET keys',
  {
    policy: 'member',
    summary: 'Lists keys, 50 on a page',
    /** `before`: the key that a page comes after. */
    query: fields({ ...KEY_FILTER.properties, before: optional(idOf('a key')) }),
    output: fields({ ...pageOf(KEY).properties, total: number() }),
  },
  async (call, deps) => {
    const { before, ...filter } = call.query
    const after = before === undefined ? {} : { after: before }
    const input = { ...filter, ...after, account: String(call.account.id), limit: PAGE }
    const { total, ...page } = await perform(keys.listKeys, holderContext(call, deps), input)
    return { ...page, total: total ?? 0 }
  },
)

/** The secret is shown once. */
const KEY_WITH_SECRET = fields({ key: KEY, secret: string() })

export const createKey = route(
  'POST keys',
  {
    policy: 'member',
    summary: 'Creates a key',
    body: NEW_KEY,
    example: { name: 'laptop', cap_usd: '20', cap_period: 'month' },
    output: KEY_WITH_SECRET,
    status: 201,
  },
  keys.createKey,
)

export const showKey = route('GET keys/{id}', { policy: 'member', summary: 'Shows a key', output: KEY }, keys.showKey)

export const changeKey = route(
  'POST keys/{id}',
  { policy: 'member', summary: 'Changes a key', body: CHANGE_KEY, example: { name: 'desktop' }, output: KEY },
  keys.limitKey,
)

export const rotateKey = route(
  'POST keys/{id}/rotate',
  {
    policy: 'member',
    summary: 'Rotates a key: creates a new secret',
    body: ROTATE_KEY,
    example: { grace_seconds: 3600 },
    output: KEY_WITH_SECRET,
  },
  keys.rotateKey,
)

export const deleteKey = route(
  'DELETE keys/{id}',
  { policy: 'member', summary: 'Deletes a key', output: KEY },
  keys.deleteKey,
)

export const showTags = route(
  'GET tags',
  {
    policy: 'member',
    summary: 'The names of tags that requests need, and the values that are allowed',
    output: fields({ required: listOf(string()), allowed: listOf(string()) }),
  },
  (_, { config }) => {
    const { requiredTags, allowedTags } = config().attribution
    return { required: [...requiredTags], allowed: [...allowedTags] }
  },
)

export const listGroups = route(
  'GET groups',
  {
    policy: 'member',
    summary: 'Lists the groups that the account may choose',
    output: listOf(fields({ id: ID, multiplier: string(), models: number(), is_default: boolean() })),
  },
  async ({ account }, { catalogue, store }) => {
    const holder = await store.accounts.holder(account.id)
    const { config, offers } = catalogue()
    return groupsFor(config, holder).map(({ id, multiplierMillionths }) => ({
      id,
      multiplier: formatMillionths(multiplierMillionths),
      models: offers.get(id)?.size ?? 0,
      is_default: id === DEFAULT_GROUP,
    }))
  },
)
