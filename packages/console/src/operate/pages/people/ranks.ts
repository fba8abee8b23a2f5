// Which roles a person may give. The server decides; this keeps the choices honest.
import type { Row } from '../../api/routes.ts'
import type { Role } from '../../ui/permissions.ts'

export type PersonRow = Row<'people'>

/** From the highest. */
export const ROLES: readonly Role[] = ['owner', 'admin', 'finance', 'support', 'viewer']

/** Roles below the own rank; owners may give all. */
export const rolesToGive = (own: Role): readonly Role[] =>
  own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner' && role !== 'admin')

/** An admin key has at most the rights of the person who makes it. */
export const rolesOfKeys = (own: Role): readonly Role[] =>
  own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner')

/** A person with a lower rank, or none; owners may act on owners. */
export const mayActOn = (own: Role, role: Role | null): boolean => role === null || rolesToGive(own).includes(role)
