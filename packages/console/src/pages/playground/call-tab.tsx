import { type FormEvent, type ReactNode, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { CallEntry } from './call-once.ts'
import type { Entry, Kind } from './history/entry.ts'
import { type History, newId, useHistory } from './history/history.ts'
import type { Outcome } from './history/outcome.ts'
import { Columns } from './layout.tsx'
import { ModelChoice } from './model-choice.tsx'
import { useModels } from './models.ts'
import { PriceNote } from './price-note.tsx'

type CallTabProps<Settings extends { model: string }, E extends CallEntry<Settings, unknown>> = {
  kind: Kind
  /** On the button. */
  action: string
  /** Before anything was asked. */
  empty: string
  /** What is asked with; undefined: not everything is there. */
  settings: Omit<Settings, 'model'> | undefined
  fields: ReactNode
  run(history: History<E>, asked: Entry & { settings: Settings }): Promise<Outcome>
  show(entry: E, actions: { onAgain(): void; onRemove(): void }): ReactNode
}

/** The tab of a kind of model that answers a request with one answer. */
export function CallTab<Settings extends { model: string }, E extends CallEntry<Settings, unknown>>({
  kind,
  action,
  empty,
  settings,
  fields,
  run,
  show,
}: CallTabProps<Settings, E>) {
  const t = useTexts().playground
  const history = useHistory<E>(kind)
  const choice = useModels(kind)
  const [announced, setAnnounced] = useState('')
  const model = choice.model?.id ?? ''
  const call = async (all: Settings) => {
    setAnnounced('')
    const { state } = await run(history, { id: newId(), at: Date.now(), settings: all })
    setAnnounced(t.ended[state])
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (settings && model !== '') void call({ ...settings, model } as Settings)
  }
  return (
    <form onSubmit={submit}>
      <Columns
        settings={
          <>
            <ModelChoice choice={choice} />
            {fields}
            <PriceNote model={choice.model} group={choice.builtIn?.group ?? ''} count={0} />
            <Button type="submit" variant="primary" wide disabled={!settings || model === ''}>
              {action}
            </Button>
          </>
        }
      >
        <div role="status" className="sr-only">
          {announced}
        </div>
        {history.entries?.length === 0 && <EmptyState title={empty}>{t.historyNote}</EmptyState>}
        {history.entries?.map((entry) => (
          <div key={entry.id} className="min-w-0">
            {show(entry, { onAgain: () => void call(entry.settings), onRemove: () => history.remove([entry.id]) })}
          </div>
        ))}
      </Columns>
    </form>
  )
}
