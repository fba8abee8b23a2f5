// Keys of the admin API: they have a role in the gateway, and call no models.
import { fieldsOf, integer, list, maybe, small, text, word } from '../fields.ts'
import type { GatewayRole, Person } from './people.ts'

export const toAdminKey = fieldsOf({
  id: integer,
  name: text,
  /** The end of the secret. */
  lastFour: text,
  role: word<GatewayRole>(),
  /** Those of the role's permissions that it has; undefined: all of them. */
  permissions: maybe(list),
  /** The person who made it, directly or by another key; undefined: the command line. */
  madeBy: maybe(integer),
  /** The admin key that made it, with which it ends. */
  madeByKey: maybe(integer),
  createdAt: small,
  expiresAt: maybe(small),
  /** IP addresses and CIDR blocks that requests may come from; undefined: any. */
  networks: maybe(list),
  /** To the minute. */
  lastUsedAt: maybe(small),
  deletedAt: maybe(small),
})
export type AdminKey = ReturnType<typeof toAdminKey>

/** `hash`: SHA-256 of the secret, which never reaches a store. */
export type NewAdminKey = Omit<AdminKey, 'id' | 'createdAt' | 'lastUsedAt' | 'deletedAt'> & {
  hash: Uint8Array
}

/** `before`: only keys with a lower id; `after`: with a higher one. */
export type AdminKeyFilter = { before?: bigint; after?: bigint }

/** `maker`: as the person is now. */
export type FoundAdminKey = { key: AdminKey; maker: Person | undefined }

/** What a key made, directly or by keys that it made, and what still works of it. */
export type MadeByAdminKey = {
  adminKeys: AdminKey[]
  invitations: number
  /** Sign-in links, and the addresses of people who have one: the first in alphabetical order. */
  links: { count: number; emails: string[] }
}
