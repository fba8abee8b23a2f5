// Keys of the admin API. A key has a role, and stops working once the person who made it is disabled or has less than that role.

import { hashSecret } from '../../access/authenticate.ts'
import { aboveCeiling } from '../../access/ceilings.ts'
import { newAdminKey } from '../../access/secrets/new-secrets.ts'
import { fields, idOf, isId, list, nullable, optional, word } from '../../request/schema/schema.ts'
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
import { covers, NARROWED, permits } from '../permissions.ts'
import { rejected } from '../rejections.ts'
import { ADMIN_KEY, NEW_ADMIN_KEY } from '../resources/people.ts'

/** In all. Deleted ones are not counted. */
export const MOST_ADMIN_KEYS = 1_000
const OF_KEY = fields({ admin_key: idOf('an admin key') })

export const createAdminKey = operation({
  name: 'admin-key create',
  permission: 'people',
  isDangerous: true,
  route: {
    at: 'POST admin-keys',
    summary: 'Creates an admin key; its secret is shown once',
    output: NEW_ADMIN_KEY,
    status: 201,
    example: { body: { name: 'billing', role: 'finance', expires_at: '2030-01-31T12:00:00Z' } },
  },
  input: fields({
    name: NAME,
    role: word(...GATEWAY_ROLES),
    /** Only these of the role's permissions, and to see what the role sees. */
    permissions: optional(nullable(list(word(...NARROWED), NARROWED.length))),
    expires_at: optional(nullable(EXPIRY)),
    networks: optional(nullable(NETWORKS)),
  }),
  /** The secret is shown once. */
  async run(context, { name: written, role, permissions: narrowed, expires_at, networks: listed }) {
    if (!mayHandle(context, role)) throw rejected('role_too_high', { field: 'role', role })
    const lacking = narrowed?.find((each) => !permits(role, each))
    if (lacking !== undefined) throw rejected('not_of_role', { field: 'permissions', role, permission: lacking })
    const permissions = narrowed == null ? undefined : ['see', ...new Set(narrowed)]
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
    const terms = { role, permissions: permissions ?? null }
    const after = {
      name,
      ...terms,
      expires_at: expires_at ?? null,
      networks: networks ?? null,
      secret: fingerprint(hash),
    }
    const { adminKeys } = audited(context, 'admin-key create', { object: { adminKey: hash }, after })
    const made = { madeBy, madeByKey: maker?.id }
    const wanted = { name, role, permissions, hash, lastFour: secret.slice(-4), ...made, expiresAt, networks }
    const key = await adminKeys.create(wanted, MOST_ADMIN_KEYS)
    if (!key) throw rejected('too_many_admin_keys', { most: MOST_ADMIN_KEYS })
    return { ...(await adminKeyRow(context, key)), secret }
  },
})

export const listAdminKeys = operation({
  name: 'admin-key list',
  permission: 'people',
  route: { at: 'GET admin-keys', summary: 'Lists admin keys', output: ADMIN_KEY, list: true },
  input: fields(pageFields('an admin key')),
  async run(context, page) {
    const read = context.storage.adminKeys.list
    const { items, next } = await readPage(page, read, ({ id }) => String(id))
    const makerOf = await makersOf(context, items)
    return { items: items.map((key) => adminKeyFields(key, makerOf)), next }
  },
})

export const showAdminKey = operation({
  name: 'admin-key show',
  permission: 'people',
  route: { at: 'GET admin-keys/{admin_key}', summary: 'Shows an admin key', output: ADMIN_KEY },
  input: OF_KEY,
  run: async (context, { admin_key }) => adminKeyRow(context, (await findAdminKey(context, admin_key)).key),
})

export const deleteAdminKey = operation({
  name: 'admin-key delete',
  permission: 'people',
  route: { at: 'DELETE admin-keys/{admin_key}', summary: 'Deletes an admin key', output: ADMIN_KEY },
  input: OF_KEY,
  async run(context, { admin_key }) {
    const { key } = await findAdminKey(context, admin_key)
    if (!mayHandle(context, key.role)) throw rejected('outranked', {})
    const { adminKeys, invitations, links } = await context.storage.adminKeys.madeByKey(key.id)
    const made = adminKeys.map(({ id, name }) => `${name} (${id})`).join(', ')
    const names = { name: key.name, role: key.role, last_four: key.lastFour }
    const before = made ? { ...names, admin_keys_made: made } : names
    const effects = {
      admin_keys_deleted: adminKeys.length,
      ...(made ? { admin_keys: made } : {}),
      invitations_revoked: invitations,
      sign_in_links_ended: links.count,
      ...(links.count > 0 ? { sign_in_links: namesOf(links) } : {}),
    }
    const entry = { object: `admin-key/${key.id}`, before, effects }
    if (!(await audited(context, 'admin-key delete', entry).adminKeys.delete(key.id)))
      throw rejected('unknown_admin_key', { key: admin_key })
    return await adminKeyRow(context, key)
  },
})

/** Whose links they are. */
const namesOf = ({ count, emails }: { count: number; emails: readonly string[] }): string =>
  emails.join(', ') + (count > emails.length ? ` and ${count - emails.length} more` : '')

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

/** What a key makes, it makes on behalf of the person who made the key, and it ends with the key. */
export async function makerBehind(context: OperationContext): Promise<Made> {
  if (context.actor.type === 'person') return { madeBy: context.actor.id, madeByKey: undefined }
  const key = await keyBehind(context)
  return { madeBy: key?.madeBy, madeByKey: key?.id }
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

type Made = { madeBy: bigint | undefined; madeByKey: bigint | undefined }
/** The person and the admin key behind something that was made; both null: the command line. */
export type MakerOf = (made: Made) => {
  made_by: string | null
  made_by_email: string | null
  made_by_key: string | null
  made_by_key_name: string | null
}

/** Finds who made these. */
export async function makersOf(
  { storage }: Pick<OperationContext, 'storage'>,
  made: readonly Made[],
): Promise<MakerOf> {
  const [emails, names] = await Promise.all([
    storage.people.names([...new Set(made.flatMap(({ madeBy }) => madeBy ?? []))]),
    storage.adminKeys.names([...new Set(made.flatMap(({ madeByKey }) => madeByKey ?? []))]),
  ])
  return ({ madeBy, madeByKey }) => ({
    made_by: madeBy === undefined ? null : String(madeBy),
    made_by_email: (madeBy !== undefined && emails.get(madeBy)) || null,
    made_by_key: madeByKey === undefined ? null : String(madeByKey),
    made_by_key_name: (madeByKey !== undefined && names.get(madeByKey)) || null,
  })
}

const adminKeyFields = (key: AdminKey, makerOf: MakerOf) => ({
  id: String(key.id),
  name: key.name,
  role: key.role,
  permissions: key.permissions === undefined ? null : [...key.permissions],
  last_four: key.lastFour,
  ...makerOf(key),
  created_at: isoTime(key.createdAt),
  expires_at: key.expiresAt === undefined ? null : isoTime(key.expiresAt),
  networks: key.networks === undefined ? null : [...key.networks],
  last_used_at: key.lastUsedAt === undefined ? null : isoTime(key.lastUsedAt),
})
