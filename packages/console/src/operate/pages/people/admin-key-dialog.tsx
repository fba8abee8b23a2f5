import { useState } from 'react'
import { ShownOnce } from '../../../pages/keys/secret.tsx'
import { inDays } from '../../../pages/keys/terms.tsx'
import { ownField } from '../../../ui/form/fields.ts'
import { textIn } from '../../../ui/form/typed-values.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import { type Permission, type Role, useRole } from '../../ui/permissions.ts'
import { AdminKeyPermissions, narrowedTo } from './admin-key-permissions.tsx'
import { rolesOfKeys } from './ranks.ts'
import { PermissionsOf, usePermissions } from './roles.tsx'

const EXPIRIES = ['30', '90', '365', 'never'] as const

/** The secret is shown once, when the key is created. */
export function AdminKeyDialog({ onClose }: { onClose(): void }) {
  const texts = useOperateTexts()
  const t = texts.people.adminKeys
  const names = texts.shell.roles
  const words = useWords()
  const permissionsOf = usePermissions()
  const roles = rolesOfKeys(useRole())
  const [made, setMade] = useState<{ name: string; secret: string }>()
  if (made)
    return (
      <ShownOnce
        title={t.secretTitle}
        text={t.secretText(made.name)}
        secret={made.secret}
        loss={{ title: t.leave(made.name), text: t.leaveText }}
        onClose={onClose}
      />
    )
  const none: ReadonlySet<Permission> = new Set()
  return (
    <ActForm
      method="POST"
      path="admin-keys"
      title={t.create}
      action={t.next}
      fields={[
        { name: 'name', label: t.name, maxLength: 100, missing: t.nameMissing },
        {
          name: 'role',
          label: t.role,
          usual: 'viewer',
          as: roles.map((value) => ({ value, label: names[value] })),
          sets: () => ({ permissions: none }),
        },
        ownField('permissions', {
          first: none,
          write: (without, { role }) => narrowedTo(permissionsOf(role as Role), without),
          show: ({ value, onChange, values: { role } }) => (
            <AdminKeyPermissions permissions={permissionsOf(role as Role)} without={value} onChange={onChange} />
          ),
        }),
        {
          name: 'expires_at',
          label: t.expires,
          usual: '90',
          as: EXPIRIES.map((value) => ({ value, label: t.expiry[value] })),
          write: (days) => (days === 'never' ? undefined : inDays(Number(days))),
        },
        { name: 'networks', label: t.networks, hint: t.networksHint, as: 'words' },
      ]}
      question={({ role, permissions }, values) => ({
        ...words('admin-key create', textIn(values, 'name').trim()),
        text: (
          <div className="flex flex-col gap-2">
            <p>{(permissions ? t.whatNarrowed : t.what)(names[role as Role])}</p>
            <PermissionsOf
              role={role as Role}
              only={permissions ? ['see', ...(permissions as Permission[])] : undefined}
            />
          </div>
        ),
        hideChanges: true,
      })}
      onClose={onClose}
      onDone={({ secret }, values) => setMade({ secret, name: textIn(values, 'name').trim() })}
    />
  )
}
