// Which role may do what in the gateway, as data, and the ranks, which decide on which people a role may act.
import type { GatewayRole } from '../storage/people/people.ts'

/** Each permission with the roles that have it. */
export const PERMISSIONS = {
  /** Traffic, requests, accounts, catalogue, nodes, audit log. */
  see: ['owner', 'admin', 'finance', 'support', 'viewer'],
  /** Upstream costs and margin. */
  see_costs: ['owner', 'admin', 'finance'],
  /** Disable accounts, their rate limits, sign-in links, second factors, sessions. */
  accounts: ['owner', 'admin', 'support'],
  /** Keys of any account. */
  keys: ['owner', 'admin', 'support'],
  /** Credit, corrections, credit lines, caps, redemption codes, prices. */
  money: ['owner', 'admin', 'finance'],
  /** Upstreams with their secrets, models, groups, settings. */
  configuration: ['owner', 'admin'],
  /** Roles, invitations, admin keys; of people with a lower rank. */
  people: ['owner', 'admin'],
} as const satisfies Record<string, readonly GatewayRole[]>

export type Permission = keyof typeof PERMISSIONS

/** What an admin key can be narrowed to. Who has `people` could give themselves the others; `see` belongs to all. */
export const NARROWED = ['see_costs', 'accounts', 'keys', 'money', 'configuration'] as const satisfies Permission[]

const RANK: Readonly<Record<GatewayRole, number>> = { owner: 3, admin: 2, finance: 1, support: 1, viewer: 0 }

export const permits = (role: GatewayRole, permission: Permission): boolean =>
  PERMISSIONS[permission].some((each) => each === role)

/** Whether a role has all that `other` has: the same, or one of a higher rank. */
export const covers = (role: GatewayRole, other: GatewayRole): boolean => role === other || RANK[role] > RANK[other]

/** Whether a person with this role gets more by another one. */
export const raises = (before: GatewayRole | undefined, after: GatewayRole | undefined): boolean =>
  after !== undefined && (before === undefined || !covers(before, after))

/** Whether a role may be acted on, or given, by a person with `actor`: a lower rank only, but owners may act on owners. */
export const outranks = (actor: GatewayRole, role: GatewayRole | undefined): boolean =>
  role === undefined || actor === 'owner' || RANK[actor] > RANK[role]
