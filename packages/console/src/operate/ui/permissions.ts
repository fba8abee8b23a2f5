// What the role of the person may do, and which colleagues could do what it may not.
import { useSession } from '../../app/session.tsx'
import { useAdmin } from '../api/queries.ts'
import type { Schemas } from '../api/routes.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'

export type Role = Schemas['Role']['id']
export type Permission = Schemas['Role']['permissions'][number]

/** They change with a new version only. */
const useRoles = () => useAdmin('roles', {}, { staleTime: Number.POSITIVE_INFINITY }).data?.data

export function useRole(): Role {
  const { gateway_role: role } = useSession()
  if (role === null) throw new Error('only people with a role get here')
  return role
}

/** undefined: not known yet. */
export function usePermissions(): ReadonlySet<Permission> | undefined {
  const role = useRole()
  const own = useRoles()?.find(({ id }) => id === role)
  return own && new Set(own.permissions)
}

/** `const may = useMay(); may('money')` */
export function useMay(): (permission: Permission) => boolean {
  const permissions = usePermissions()
  return (permission) => permissions?.has(permission) ?? false
}

/** "Needs finance": the lowest roles with the permission. undefined: the person has it. */
export function useNeeds(): (permission: Permission) => string | undefined {
  const t = useOperateTexts().shell
  const roles = useRoles()
  const may = useMay()
  return (permission) => {
    if (roles === undefined || may(permission)) return undefined
    const able = roles.filter(({ permissions }) => permissions.includes(permission)).map(({ id }) => id)
    // Owners and admins may nearly everything: others are named first.
    const others = able.filter((id) => id !== 'owner' && id !== 'admin')
    const named = others.length > 0 ? others : able.includes('admin') ? (['admin'] as const) : able
    return t.needs(named.map((id) => t.roles[id]))
  }
}
