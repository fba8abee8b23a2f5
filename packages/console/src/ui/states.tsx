// What a page shows in the place of data: nothing yet, an error, or a notice.

import type { ReactNode } from 'react'
import type { ApiError } from '../api/client.ts'
import type { Loss } from '../api/loss.ts'
import { useLanguage, useTexts } from '../i18n/language.tsx'
import type { Texts } from '../i18n/texts.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import { formatTime } from './values.tsx'

/** The text for a person, in the language of the console where there is one. */
export const errorMessage = (error: ApiError, texts: Texts): string =>
  texts.conflicts[error.message] ?? texts.errors[error.code] ?? error.message

export function useErrorMessage(): (error: ApiError) => string {
  const texts = useTexts()
  return (error) => errorMessage(error, texts)
}

/** Says what is missing and what to do about it. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-[440px] text-muted">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}

/** In the place of a short table: as high as its head and one row, which its skeleton shows. */
export function EmptyRow({ children }: { children: ReactNode }) {
  return <p className="flex min-h-[74px] items-center px-4 py-4 text-muted">{children}</p>
}

/** Says what failed; `retry` tries again. */
export function ErrorState({ error, retry }: { error: ApiError; retry?: () => void }) {
  const texts = useTexts()
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <span className="text-bad">
        <Icon name="warning" size={20} />
      </span>
      <p className="max-w-[440px]">{errorMessage(error, texts)}</p>
      {error.requestId && <p className="font-mono text-xs text-muted">{texts.common.requestId(error.requestId)}</p>}
      {retry && (
        <div className="mt-2">
          <Button icon="refresh" onClick={retry}>
            {texts.common.retry}
          </Button>
        </div>
      )}
    </div>
  )
}

export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad'

const SOFT: Readonly<Record<Tone, string>> = {
  plain: 'bg-raised text-ink',
  accent: 'bg-accent-soft text-link',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
}

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex items-center rounded-sm px-1.5 text-xs leading-5 font-medium whitespace-nowrap',
        SOFT[tone],
      )}
    >
      {children}
    </span>
  )
}

/** A notice within a page. */
export function Banner({ tone = 'plain', children, action }: { tone?: Tone; children: ReactNode; action?: ReactNode }) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={classes('flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md px-3 py-2', SOFT[tone])}
    >
      <Icon name={tone === 'bad' || tone === 'warn' ? 'warning' : tone === 'good' ? 'check' : 'info'} />
      <div className="min-w-0 flex-1 break-words">{children}</div>
      {action}
    </div>
  )
}

/** Stays in sight while the page scrolls. */
export function LossBar({ loss: { is, since } }: { loss: Loss }) {
  const { texts, locale } = useLanguage()
  const at = new Date(since)
  const isToday = at.toDateString() === new Date().toDateString()
  return (
    <div className="sticky top-2 z-30 mb-6">
      <Banner tone="bad">
        {texts.common.loss[is](formatTime(at.toISOString(), locale, isToday ? 'clock' : 'both'))}
      </Banner>
    </div>
  )
}

/** Has the size of what follows: give it a width and a height, such as `h-5 w-32`. */
export function Skeleton({ size = 'h-4 w-24' }: { size?: string }) {
  return <span aria-hidden="true" className={classes('skeleton inline-block max-w-full align-middle', size)} />
}
