// A step of a path that leads from one thing to the next, in a list of all of them.

import type { ReactNode } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'

export type StepState = 'ahead' | 'current' | 'done'

export function Step({
  number,
  title,
  state,
  aside,
  children,
}: {
  number: number
  title: string
  state: StepState
  /** Beside the title, such as a way back. */
  aside?: ReactNode
  children?: ReactNode
}) {
  const t = useTexts().overview.firstRun
  return (
    <li
      tabIndex={-1}
      aria-current={state === 'current' ? 'step' : undefined}
      className="flex gap-3 border-b px-4 py-4 outline-none last:border-b-0"
    >
      <span
        aria-hidden="true"
        className={classes(
          'grid size-6 shrink-0 place-items-center rounded-full text-sm font-medium',
          state === 'done' && 'bg-good-soft text-good',
          state === 'current' && 'bg-accent text-on-accent',
          state === 'ahead' && 'bg-raised text-muted',
        )}
      >
        {state === 'done' ? <Icon name="check" /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center justify-between gap-x-3">
          <h3 className={classes('leading-6 font-medium', state === 'ahead' && 'text-muted')}>
            <span className="sr-only">{t.step(number, title)}</span>
            <span aria-hidden="true">{title}</span>
            {state === 'done' && <span className="sr-only"> ({t.done})</span>}
          </h3>
          {aside}
        </div>
        {state !== 'ahead' && children && <div className="mt-2">{children}</div>}
      </div>
    </li>
  )
}
