// What an admin key may do of its role: all of it, or less.
import { Checkbox } from '../../../ui/form/field.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import type { Permission } from '../../ui/permissions.ts'

type Narrowed = Exclude<Permission, 'see' | 'people'>

/** Every key sees. A key that may manage people could give itself the rest, so that only one with all permissions of its role may. */
const isNarrowable = (permission: Permission): permission is Narrowed => permission !== 'see' && permission !== 'people'

/** What the API takes: undefined is all of the role. */
export function narrowedTo(permissions: readonly Permission[], without: ReadonlySet<Permission>) {
  if (!permissions.some((each) => without.has(each))) return undefined
  return permissions.filter(isNarrowable).filter((each) => !without.has(each))
}

export function AdminKeyPermissions({
  permissions,
  without,
  onChange,
}: {
  permissions: readonly Permission[]
  without: ReadonlySet<Permission>
  onChange(without: ReadonlySet<Permission>): void
}) {
  const texts = useOperateTexts().people
  const t = texts.adminKeys
  const lacksOthers = permissions.some((each) => isNarrowable(each) && without.has(each))
  const toggle = (permission: Permission, isOn: boolean) =>
    onChange(new Set(isOn ? [...without].filter((each) => each !== permission) : [...without, permission]))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">{t.permissions}</legend>
      {permissions.map((permission) => {
        const [name, text] = texts.roles.permissions[permission] ?? [permission, '']
        const isBarred = permission === 'people' && lacksOthers
        return (
          <Checkbox
            key={permission}
            label={name}
            hint={permission === 'see' ? t.alwaysSees : isBarred ? t.noPeople : text}
            checked={permission === 'see' || (!isBarred && !without.has(permission))}
            disabled={permission === 'see' || isBarred}
            onChange={(isOn) => toggle(permission, isOn)}
          />
        )
      })}
    </fieldset>
  )
}
