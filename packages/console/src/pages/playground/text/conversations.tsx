import { useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ConfirmDialog, Drawer } from '../../../ui/dialog.tsx'
import { Time } from '../../../ui/values.tsx'
import type { History } from '../history/history.ts'
import type { Conversation } from './conversation.ts'

type ConversationsProps = {
  open: boolean
  onClose(): void
  history: History<Conversation>
  current: string | undefined
  onChoose(id: string): void
}

/** Former conversations, which are in this browser only. */
export function Conversations({ open, onClose, history, current, onChoose }: ConversationsProps) {
  const t = useTexts().playground
  const [isAsking, setAsking] = useState(false)
  const { entries = [], remove } = history
  return (
    <>
      <Drawer
        open={open && !isAsking}
        onClose={onClose}
        title={t.history}
        footer={
          <Button icon="trash" disabled={entries.length === 0} onClick={() => setAsking(true)}>
            {t.clearHistory}
          </Button>
        }
      >
        <p className="mb-3 text-sm text-muted">{t.historyNote}</p>
        <ul className="flex flex-col gap-1">
          {entries.map((entry) => (
            <li key={entry.id} className="flex items-center gap-1">
              <button
                type="button"
                aria-current={entry.id === current || undefined}
                onClick={() => onChoose(entry.id)}
                className="flex min-w-0 flex-1 flex-col rounded-md px-2 py-1.5 text-left hover:bg-raised aria-current:bg-raised"
              >
                <span className="w-full truncate">{titleOf(entry) || t.picture}</span>
                <span className="text-sm text-muted">
                  <Time at={new Date(entry.at).toISOString()} />
                </span>
              </button>
              <IconButton icon="trash" label={t.removeEntry(titleOf(entry))} onClick={() => remove([entry.id])} />
            </li>
          ))}
        </ul>
      </Drawer>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.clearTitle}
        action={t.clearHistory}
        onConfirm={() => {
          remove(entries.map(({ id }) => id))
          setAsking(false)
          onClose()
        }}
      >
        {t.clearText}
      </ConfirmDialog>
    </>
  )
}

const titleOf = ({ turns }: Conversation): string => {
  const [first] = turns
  return first?.role === 'user' ? first.text.slice(0, 200) : ''
}
