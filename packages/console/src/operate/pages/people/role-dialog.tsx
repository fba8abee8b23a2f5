import type { Field } from '../../../ui/form/fields.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import { type Role, useRole } from '../../ui/permissions.ts'
import { type PersonRow, rolesToGive } from './ranks.ts'
import { PermissionsOf } from './roles.tsx'

/** With what the chosen role may do below it. `none`: the choice of no role. */
export function useRoleField(label: string, roles: readonly Role[], none?: string): Field<'role'> {
  const names = useOperateTexts().shell.roles
  return {
    name: 'role',
    label,
    as: [
      ...(none === undefined ? [] : [{ value: '', label: none }]),
      ...roles.map((value) => ({ value, label: names[value] })),
    ],
    below: (role) => role !== '' && <PermissionsOf role={role as Role} />,
  }
}

export function RoleDialog({ person, onClose }: { person: PersonRow; onClose(): void }) {
  const { team, role: t } = useOperateTexts().people
  const question = useWords()('person role', person.email)
  return (
    <ActForm
      method="PATCH"
      path="people/{person}"
      params={{ person: person.id }}
      of={person}
      title={t.title(person.email)}
      action={t.next}
      fields={[useRoleField(team.role, rolesToGive(useRole()), t.none)]}
      question={{ ...question, danger: true }}
      undo={question}
      onClose={onClose}
    />
  )
}
