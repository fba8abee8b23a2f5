// What operators noted of the account, for each other.

import { useQueryClient } from '@tanstack/react-query'
import { IconButton } from '../../../../ui/button.tsx'
import { SendForm } from '../../../../ui/form/post-form.tsx'
import { Loaded } from '../../../../ui/loaded.tsx'
import { Section } from '../../../../ui/page.tsx'
import { EmptyRow, Skeleton } from '../../../../ui/states.tsx'
import { Time } from '../../../../ui/values.tsx'
import { callAdmin } from '../../../api/client.ts'
import { refreshAdmin, useAdmin } from '../../../api/queries.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useWords } from '../../../i18n/use-words.ts'
import { useAct } from '../../../ui/act.tsx'
import { ActButton } from '../../../ui/act-button.tsx'
import { useMay } from '../../../ui/permissions.ts'

const LONGEST = 2_000

export function NotesTab({ account }: { account: string }) {
  const t = useOperateTexts().accounts.notes
  const act = useAct()
  const words = useWords()
  const may = useMay()
  const queries = useQueryClient()
  const query = useAdmin('accounts/{account}/notes', { account })
  const remove = (note: string) =>
    act({
      method: 'DELETE',
      path: 'accounts/{account}/notes/{note}',
      params: { account, note },
      ...words('account note delete'),
      danger: true,
      reason: 'none',
    })
  return (
    <Section title={t.title} text={t.text}>
      <SendForm
        className="mb-4 flex flex-col gap-2"
        action={t.add}
        button={(submit) => <ActButton permission="accounts" {...submit} variant="primary" />}
        fields={[
          {
            name: 'text',
            label: t.label,
            hideLabel: true,
            placeholder: t.label,
            as: 'area',
            maxLength: LONGEST,
            missing: t.missing,
          },
        ]}
        send={({ text }) =>
          callAdmin({
            method: 'POST',
            path: 'accounts/{account}/notes',
            params: { account },
            body: { text: String(text) },
          })
        }
        isCleared
        onDone={() => void refreshAdmin(queries)}
      />
      <Loaded query={query} skeleton={<Skeleton size="h-20 w-full" />}>
        {({ notes }) =>
          notes.length === 0 ? (
            <EmptyRow>{t.empty}</EmptyRow>
          ) : (
            <ul className="divide-y rounded-md border">
              {notes.map((note) => (
                <li key={note.id} className="flex items-start gap-3 px-3 py-2">
                  <div className="min-w-0 flex-1">
                    <p className="whitespace-pre-wrap wrap-anywhere">{note.text}</p>
                    <p className="text-sm text-muted">
                      {note.author_email ?? note.author} · <Time at={note.at} />
                    </p>
                  </div>
                  {may('accounts') && (
                    <IconButton
                      icon="trash"
                      label={words('account note delete').action}
                      onClick={() => remove(note.id)}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}
