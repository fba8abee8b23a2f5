// Several rows of a list, chosen for one act on all of them.

import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Choice } from '../../ui/table.tsx'
import type { Schemas } from '../api/routes.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'

/** The API takes no more at once. */
const MOST = 200

type Named = { id: string; name: string }
export type Chosen<T> = { choice: Choice<T>; ids: string[]; clear(): void }

/** What is chosen stays so on other pages of the list. */
export function useChosen<T extends Named>(): Chosen<T> {
  const t = useOperateTexts().acts.bulk
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const choose = (rows: readonly T[], isChosen: boolean) =>
    setNames((former) => {
      const next = new Map(former)
      for (const { id, name } of rows)
        if (!isChosen) next.delete(id)
        else if (next.size < MOST) next.set(id, name)
      return next
    })
  return {
    choice: {
      isChosen: ({ id }) => names.has(id),
      choose,
      label: ({ name }) => t.choose(name),
      labelOfAll: t.chooseAll,
    },
    ids: [...names.keys()],
    clear: () => setNames(new Map()),
  }
}

/** Stands above the list as long as something is chosen. */
export function ChosenBar({ count, onClear, children }: { count: number; onClear(): void; children: ReactNode }) {
  const t = useOperateTexts().acts.bulk
  if (count === 0) return null
  return (
    <section
      aria-label={t.title}
      className="sticky top-2 z-20 mb-4 flex flex-wrap items-center gap-2 rounded-lg border border-accent bg-surface px-4 py-2"
    >
      <span role="status" className="mr-2 font-medium">
        {t.chosen(count)}
        {count === MOST && <span className="ml-2 text-sm font-normal text-muted">{t.most}</span>}
      </span>
      {children}
      <Button small variant="quiet" onClick={onClear}>
        {t.clear}
      </Button>
    </section>
  )
}

type BulkResult = Schemas['BulkResult']

/** Those that were not changed, and why; nothing if all were. */
export function BulkFailures({ result, onClose }: { result: BulkResult; onClose(): void }) {
  const t = useOperateTexts().acts.bulk
  const failed = result.results.filter((each) => each.result === 'rejected' || each.result === 'skipped')
  if (failed.length === 0) return null
  return (
    <Dialog open onClose={onClose} title={t.failures(failed.length)}>
      <p className="mb-3">{t.summary(result.changed, result.unchanged)}</p>
      <ul className="divide-y rounded-md border">
        {failed.map(({ id, message }) => (
          <li key={id} className="px-3 py-2 wrap-anywhere">
            <span className="font-mono text-sm text-muted">{id}</span> {message}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
