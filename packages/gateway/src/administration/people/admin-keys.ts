// Keys of the admin API. A key has a role, and stops working once the person who made it is disabled or has less than that role.

import { hashSecret } from '../../access/authenticate.ts'
import { aboveCeiling } from '../../access/ceilings.ts'
import { newAdminKey } from '../../access/secrets/new-api-key.ts'
import { fields, idOf, isId, nullable, optional, word } from '../../request/schema/schema.ts'
import {
  type AdminKey,
  type Ceiling,
  type FoundAdminKey,
  GATEWAY_ROLES,
  type GatewayRole,
} from '../../storage/storage.ts'
import { isoTime, readFuture } from '../inputs/fields.ts'
import { readNetworks } from '../inputs/key-terms.ts'
import { pageFields, readPage } from '../inputs/page.ts'
import { EXPIRY, NAME, NETWORKS } from '../inputs/schemas.ts'
import { audited, fingerprint, type OperationContext, operation } from '../operation.ts'
import { covers } from '../permissions.ts'
import { rejected } from '../rejections.ts'

/** In all. Deleted ones are not counted. */
export const MOST_ADMIN_KEYS = 1_000
const OF_KEY = fields({ admin_key: idOf('an admin key') })

export const createAdminKey = operation({
  name: 'admin-key create',
  permission: 'people',
  isDangerous: true,
  input: fields({
    name: NAME,
    role: word(...GATEWAY_ROLES),
    expires_at: optional(nullable(EXPIRY)),
    networks: optional(nullable(NETWORKS)),
  }),
  /** The secret is shown once. */
  async run(context, { name: written, role, expires_at, networks: listed }) {
    if (!mayHandle(context, role)) throw rejected('role_too_high', { field: 'role', role })
    const name = written.trim()
    const expiresAt = expires_at == null ? undefined : readFuture('expires_at', expires_at)
    const networks = listed == null ? undefined : readNetworks(listed)
    const maker = await keyBehind(context)
    const above = maker && aboveCeiling({ ...UNCAPPED, ceiling: given(maker) }, { expiresAt, networks })
    if (above) throw rejected('above_ceiling', { field: CEILINGS[above.field] ?? '', message: above.message })
    // A key that makes keys does so on behalf of the person who made it.
    const madeBy = context.actor.type === 'person' ? context.actor.id : maker?.madeBy
    const secret = newAdminKey()
    const hash = hashSecret(secret)
    const after = { name, role, expires_at: expires_at ?? null, networks: networks ?? null, secret: fingerprint(hash) }
    const { adminKeys } = audited(context, 'admin-key create', { object: { adminKey: hash }, after })
    const wanted = { name, role, hash, lastFour: secret.slice(-4), madeBy, expiresAt, networks }
    const key = await adminKeys.create(wanted, MOST_ADMIN_KEYS)
    if (!key) throw rejected('too_many_admin_keys', { most: MOST_ADMIN_KEYS })
    return { ...(await adminKeyRow(context, key)), secret }
  },
})

export const listAdminKeys = operation({
  name: 'admin-key list',
  permission: 'people',
  input: fields(pageFields('an admin key')),
  async run(context, page) {
    const read = context.storage.adminKeys.list
    const { items, next } = await readPage(page, read, ({ id }) => String(id))
    const emailOf = await makersOf(context, items)
    return { items: items.map((key) => adminKeyFields(key, emailOf)), next }
  },
})

export const showAdminKey = operation({
  name: 'admin-key show',
  permission: 'people',
  input: OF_KEY,
  run: async (context, { admin_key }) => adminKeyRow(context, (await findAdminKey(context, admin_key)).key),
})

export const deleteAdminKey = operation({
  name: 'admin-key delete',
  permission: 'people',
  input: OF_KEY,
  async run(context, { admin_key }) {
    const { key } = await findAdminKey(context, admin_key)
    if (!mayHandle(context, key.role)) throw rejected('outranked', {})
    const entry = { object: `admin-key/${key.id}`, before: { name: key.name, role: key.role, last_four: key.lastFour } }
    if (!(await audited(context, 'admin-key delete', entry).adminKeys.delete(key.id)))
      throw rejected('unknown_admin_key', { key: admin_key })
    return await adminKeyRow(context, key)
  },
})

/** Nobody gives a key, or takes one, that can do more than themselves. */
const mayHandle = ({ actor }: OperationContext, role: GatewayRole): boolean =>
  actor.type === 'command-line' || actor.type === 'job' || (actor.type !== 'holder' && covers(actor.role, role))

const keyBehind = async ({ actor, storage }: OperationContext): Promise<AdminKey | undefined> =>
  actor.type === 'admin-key' ? (await storage.adminKeys.find({ id: actor.id }))?.key : undefined

/** What bounds a key bounds those that it makes: else the first thing to do with a stolen one is to make another without bounds. */
const given = ({ expiresAt, networks }: AdminKey): Ceiling => ({
  ...(expiresAt === undefined ? {} : { expiresAt }),
  ...(networks === undefined ? {} : { networks }),
})
const UNCAPPED = { cap: undefined, capPeriod: undefined }
const CEILINGS: Partial<Record<keyof Ceiling, string>> = { expiresAt: 'expires_at', networks: 'networks' }

/** What a key makes, it makes on behalf of the person who made the key. */
export async function personBehind(context: OperationContext): Promise<bigint | undefined> {
  return context.actor.type === 'person' ? context.actor.id : (await keyBehind(context))?.madeBy
}

async function findAdminKey({ storage }: OperationContext, id: string): Promise<FoundAdminKey> {
  const found = isId(id) ? await storage.adminKeys.find({ id: BigInt(id) }) : undefined
  if (!found || found.key.deletedAt !== undefined) throw rejected('unknown_admin_key', { key: id })
  return found
}

/** Whether it works now, apart from the address that it is used from. */
export function isUsable({ key, maker }: FoundAdminKey, now: number): boolean {
  if (key.deletedAt !== undefined || (key.expiresAt !== undefined && key.expiresAt <= now)) return false
  if (key.madeBy === undefined) return true
  return maker?.role !== undefined && !maker.disabled && covers(maker.role, key.role)
}

async function adminKeyRow(context: OperationContext, key: AdminKey) {
  return adminKeyFields(key, await makersOf(context, [key]))
}

export type EmailOf = (madeBy: bigint | undefined) => string | null

/** Finds the address of the person who made one of these; null: the command line. */
export async function makersOf(
  { storage }: Pick<OperationContext, 'storage'>,
  made: readonly { madeBy: bigint | undefined }[],
): Promise<EmailOf> {
  const makers = made.flatMap(({ madeBy }) => (madeBy === undefined ? [] : [madeBy]))
  const names = await storage.people.names([...new Set(makers)])
  return (madeBy) => (madeBy === undefined ? null : (names.get(madeBy) ?? null))
}

const adminKeyFields = (key: AdminKey, emailOf: EmailOf) => ({
  id: String(key.id),
  name: key.name,
  role: key.role,
  last_four: key.lastFour,
  made_by: key.madeBy === undefined ? null : String(key.madeBy),
  made_by_email: emailOf(key.madeBy),
  created_at: isoTime(key.createdAt),
  expires_at: key.expiresAt === undefined ? null : isoTime(key.expiresAt),
  networks: key.networks === undefined ? null : [...key.networks],
  last_used_at: key.lastUsedAt === undefined ? null : isoTime(key.lastUsedAt),
})
