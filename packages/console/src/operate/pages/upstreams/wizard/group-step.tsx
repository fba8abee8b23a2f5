import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { Checkbox, TextField } from '../../../../ui/form/field.tsx'
import { ErrorState, Skeleton } from '../../../../ui/states.tsx'
import { useAdmin } from '../../../api/queries.ts'
import type { Row } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import type { Draft, SetDraft } from './draft.ts'
import { ALL_MODELS } from './entries.ts'

export const useGroups = () => useAdmin('groups', { limit: '100' })

const hasAll = ({ models }: Row<'groups'>): boolean => Array.isArray(models) && models.includes(ALL_MODELS)

/** Which keys may call the new models. */
export function GroupStep({ draft, set }: { draft: Draft; set: SetDraft }) {
  const t = useOperateTexts().upstreams.wizard.group
  const { data, error, refetch } = useGroups()
  const [isNew, setNew] = useState(draft.newGroup !== '')
  const [wrong, setWrong] = useState<string>()
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  const groups = data?.data
  const toggle = (id: string, isOn: boolean) =>
    set({ groups: isOn ? [...draft.groups, id] : draft.groups.filter((each) => each !== id) })
  const next = () => {
    const name = isNew ? draft.newGroup.trim() : ''
    if (isNew && (name === '' || groups?.some(({ id }) => id === name)))
      return setWrong(name === '' ? t.nameMissing : t.taken)
    set({ newGroup: name, step: 'review' })
  }
  return (
    <div className="flex max-w-[560px] flex-col gap-4">
      <p className="text-muted">{t.text}</p>
      {groups === undefined ? (
        <Skeleton size="h-10 w-full" />
      ) : (
        <ul className="flex flex-col gap-2">
          {groups.map((group) => (
            <li key={group.id}>
              {hasAll(group) ? (
                <span>
                  <span className="font-medium">{group.id}</span> <span className="text-muted">{t.hasAll}</span>
                </span>
              ) : group.read_only ? (
                <span className="text-muted">
                  {group.id}: {t.readOnly}
                </span>
              ) : (
                <Checkbox
                  checked={draft.groups.includes(group.id)}
                  onChange={(isOn) => toggle(group.id, isOn)}
                  label={group.id}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <Checkbox checked={isNew} onChange={setNew} label={t.create} hint={t.createHint} />
      {isNew && (
        <div className="max-w-[320px]">
          <TextField
            label={t.name}
            autoFocus
            autoComplete="off"
            maxLength={100}
            value={draft.newGroup}
            onChange={(newGroup) => set({ newGroup })}
            error={wrong}
          />
        </div>
      )}
      <div>
        <Button variant="primary" disabled={groups === undefined} onClick={next}>
          {t.next}
        </Button>
      </div>
    </div>
  )
}
