import type { ReactNode } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Button, IconButton, Spinner } from '../../ui/button.tsx'
import { Badge } from '../../ui/states.tsx'
import { Time } from '../../ui/values.tsx'
import { AnswerFacts } from './answer-facts.tsx'
import { Failure } from './failure.tsx'
import type { Entry } from './history/entry.ts'
import { isRunning, stop } from './history/history.ts'
import type { Outcome } from './history/outcome.ts'
import { RequestCode } from './request-code.tsx'

type EntryCardProps = {
  entry: Entry & { outcome: Outcome; settings: { model: string } }
  /** What was asked, in the words of who asked. */
  title: string
  /** The same request as code. */
  snippet: Parameters<typeof RequestCode>[0]['snippet']
  /** What came first, where it was measured. */
  first?: string
  /** Absent: it cannot be asked again. */
  onAgain?: (() => void) | undefined
  onRemove(): void
  children: ReactNode
}

/** What was asked and answered, what it took, and what can be done with it. */
export function EntryCard({ entry, title, snippet, first, onAgain, onRemove, children }: EntryCardProps) {
  const t = useTexts().playground
  const { outcome, settings } = entry
  const isWaiting = outcome.state === 'running' && isRunning(entry.id)
  return (
    <article
      aria-label={title}
      aria-busy={isWaiting}
      className="flex min-w-0 flex-col gap-3 rounded-lg border bg-surface p-4"
    >
      <header className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <p className="break-words whitespace-pre-wrap">{title}</p>
          <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-muted">
            <span className="break-all">{settings.model}</span>
            <Time at={new Date(entry.at).toISOString()} />
            {isWaiting && <Spinner />}
            {outcome.state === 'stopped' && <Badge tone="warn">{t.stopped}</Badge>}
          </p>
        </div>
        {isWaiting ? (
          <Button icon="stop" onClick={() => stop(entry.id)}>
            {t.stop}
          </Button>
        ) : (
          <IconButton icon="trash" label={t.removeEntry(title.slice(0, 60))} onClick={onRemove} />
        )}
      </header>
      {children}
      {outcome.error && <Failure error={outcome.error} />}
      <AnswerFacts
        outcome={outcome}
        isEnded={!isWaiting}
        {...(first === undefined ? {} : { first })}
        code={() => <RequestCode snippet={snippet} />}
        actions={
          onAgain && (
            <Button small variant="quiet" icon="refresh" onClick={onAgain}>
              {t.again}
            </Button>
          )
        }
      />
    </article>
  )
}
