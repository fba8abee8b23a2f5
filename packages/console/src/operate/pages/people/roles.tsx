// Which role may do what, as a table that one can read.

import { Icon } from '../../../ui/icons.tsx'
import { Section } from '../../../ui/page.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { type Permission, type Role, useRole } from '../../ui/permissions.ts'
import { ROLES } from './ranks.ts'

/** They change with a new version only. */
const useRoles = () => useAdmin('roles', {}, { staleTime: Number.POSITIVE_INFINITY })

export function RolesSection() {
  const texts = useOperateTexts()
  const t = texts.people.roles
  const own = useRole()
  const { data, error, refetch } = useRoles()
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  const permissionsOf = new Map(data?.data.map(({ id, permissions }) => [id, permissions]))
  const all = data?.data.find(({ id }) => id === 'owner')?.permissions
  const columns: Column<Permission>[] = [
    {
      id: 'permission',
      label: t.permission,
      skeleton: 'w-64 h-10',
      cell: (permission) => {
        const [name, text] = t.permissions[permission] ?? [permission, '']
        return (
          <span className="flex flex-col">
            <span className="font-medium">{name}</span>
            <span className="text-sm font-normal text-muted">{text}</span>
          </span>
        )
      },
    },
    ...ROLES.map(
      (role): Column<Permission> => ({
        id: role,
        label: role === own ? `${texts.shell.roles[role]} (${t.yours})` : texts.shell.roles[role],
        cell: (permission) =>
          permissionsOf.get(role)?.includes(permission) ? (
            <span className="inline-flex items-center gap-1 text-good">
              <Icon name="check" />
              <span className="text-sm">{permission === 'people' && role !== 'owner' ? t.below : t.yes}</span>
            </span>
          ) : null,
      }),
    ),
  ]
  return (
    <>
      <p className="mb-3 max-w-[720px] text-muted">{t.text}</p>
      <Section flush>
        <Table label={t.label} columns={columns} rows={all} rowKey={(permission) => permission} expected={7} />
      </Section>
    </>
  )
}

/** In short, where a role is chosen, or what an admin key has of its role. */
export function PermissionsOf({ role, only }: { role: Role; only?: readonly string[] | undefined }) {
  const t = useOperateTexts().people.roles
  const permissions = usePermissions()(role).filter((permission) => only === undefined || only.includes(permission))
  return (
    <ul className="flex flex-col gap-1 text-sm text-muted">
      {permissions.map((permission) => {
        const [name, text] = t.permissions[permission] ?? [permission, '']
        return (
          <li key={permission} className="flex gap-2">
            <span className="mt-0.5 text-good">
              <Icon name="check" />
            </span>
            <span>
              <span className="font-medium text-ink">{name}</span> {text}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

export function usePermissions(): (role: Role) => readonly Permission[] {
  const roles = useRoles().data?.data
  return (role) => roles?.find(({ id }) => id === role)?.permissions ?? []
}
