// Keys of the admin API: they have a role in the gateway, and call no models.
import type { GatewayRole, Person } from './people.ts'

export type AdminKey = {
  id: bigint
  name: string
  /** The end of the secret. */
  lastFour: string
  role: GatewayRole
  /** Those of the role's permissions that it has; undefined: all of them. */
  permissions: readonly string[] | undefined
  /** The person who made it, directly or by another key; undefined: the command line. */
  madeBy: bigint | undefined
  /** The admin key that made it, with which it ends. */
  madeByKey: bigint | undefined
  createdAt: number
  expiresAt: number | undefined
  /** IP addresses and CIDR blocks that requests may come from; undefined: any. */
  networks: readonly string[] | undefined
  /** To the minute. */
  lastUsedAt: number | undefined
  deletedAt: number | undefined
}

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
