import { type FormEvent, useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { useVersion } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { type Role, useRole } from '../../ui/permissions.ts'
import { type PersonRow, rolesToGive } from './ranks.ts'
import { PermissionsOf } from './roles.tsx'

const FORM = 'role'
const NONE = ''

export function RoleDialog({ person, onClose }: { person: PersonRow; onClose(): void }) {
  const texts = useOperateTexts()
  const { common } = useTexts()
  const t = texts.people.role
  const act = useAct()
  const words = useWords()
  const own = useRole()
  const version = useVersion('people/{person}', { person: person.id })
  const [chosen, setChosen] = useState<string>(person.role ?? NONE)
  const options = [
    { value: NONE, label: t.none },
    ...rolesToGive(own).map((role) => ({ value: role as string, label: texts.shell.roles[role] })),
  ]
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const change = (role: Role | null) =>
      ({
        method: 'PATCH',
        path: 'people/{person}',
        params: { person: person.id },
        body: { role },
        ...words('person role', person.email),
      }) as const
    const wanted = change(chosen === NONE ? null : (chosen as Role))
    const done = await act({ ...wanted, version: await version(), danger: true, undo: change(person.role) })
    if (done) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.title(person.email)}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" form={FORM} variant="primary" disabled={chosen === (person.role ?? NONE)}>
            {t.next}
          </Button>
        </>
      }
    >
      <form id={FORM} onSubmit={submit} className="flex flex-col gap-4">
        <SelectField label={texts.people.team.role} value={chosen} onChange={setChosen} options={options} />
        {chosen !== NONE && <PermissionsOf role={chosen as Role} />}
      </form>
    </Dialog>
  )
}
