// One turn of a conversation. What the model wrote is not trusted: it is text, or Markdown of our own making.

import { type ReactNode, useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { Markdown } from '../../../markdown/markdown.tsx'
import { Button, Spinner } from '../../../ui/button.tsx'
import { CodeBlock, CopyButton } from '../../../ui/copy.tsx'
import { TextArea } from '../../../ui/form/field.tsx'
import { Badge } from '../../../ui/states.tsx'
import { AnswerFacts } from '../answer-facts.tsx'
import { Failure, type OtherModel } from '../failure.tsx'
import { Thumbnails } from '../pictures.tsx'
import { codeOf, RequestCode } from '../request-code.tsx'
import { type Answer, type Question, requestFor, type ToolCall, type Turn } from './conversation.ts'

export function QuestionView({ question }: { question: Question }) {
  const t = useTexts().playground
  return (
    <article
      aria-label={t.you}
      className="ml-auto flex max-w-[85%] min-w-0 flex-col gap-2 rounded-lg bg-raised px-3 py-2"
    >
      <Thumbnails urls={question.images} />
      {question.text !== '' && <p className="break-words whitespace-pre-wrap">{question.text}</p>}
    </article>
  )
}

type AnswerProps = {
  answer: Answer
  /** The turns before it. */
  before: readonly Turn[]
  baseUrl: string
  /** Only the last answer can be made again. */
  onRegenerate?: (() => void) | undefined
  onResults?: ((calls: readonly ToolCall[]) => void) | undefined
  /** Offered after a last answer that failed. */
  other?: OtherModel | undefined
}

export function AnswerView({ answer, before, baseUrl, onRegenerate, onResults, other }: AnswerProps) {
  const t = useTexts().playground
  const { text, reasoning, calls, outcome, settings } = answer
  const isRunning = outcome.state === 'running'
  const isEmpty = text === '' && reasoning === '' && calls.length === 0
  return (
    <article
      aria-label={settings.model}
      aria-busy={isRunning}
      className="flex min-w-0 flex-col gap-3 rounded-lg border bg-surface p-4"
    >
      <header className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span className="font-medium break-all">{settings.model}</span>
        {isRunning && <Spinner />}
        {outcome.state === 'stopped' && <Badge tone="warn">{t.stopped}</Badge>}
      </header>
      {reasoning !== '' && <Reasoning text={reasoning} isOpenAtFirst={isRunning && text === ''} />}
      {text !== '' && <Markdown text={text} baseUrl={baseUrl} />}
      {calls.length > 0 && <ToolCalls calls={calls} onResults={isRunning ? undefined : onResults} />}
      {isRunning && isEmpty && <p className="text-muted">{t.waiting}</p>}
      {outcome.error && <Failure error={outcome.error} other={other} />}
      <AnswerFacts
        outcome={outcome}
        code={() => <RequestCode snippet={codeOf({ protocol: 'chat', body: requestFor(before, settings) })} />}
        actions={
          <>
            {text !== '' && <CopyButton text={text} label={t.answer} />}
            {onRegenerate && (
              <Button small variant="quiet" icon="refresh" onClick={onRegenerate}>
                {t.regenerate}
              </Button>
            )}
          </>
        }
      />
    </article>
  )
}

function Reasoning({ text, isOpenAtFirst }: { text: string; isOpenAtFirst: boolean }): ReactNode {
  const t = useTexts().playground
  const [chosen, setChosen] = useState<boolean>()
  const isOpen = chosen ?? isOpenAtFirst
  return (
    <div className="min-w-0 rounded-md border bg-canvas">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setChosen(!isOpen)}
        className="w-full rounded-md px-3 py-1.5 text-left text-sm font-medium text-muted hover:text-ink"
      >
        {isOpen ? '▾' : '▸'} {t.reasoning}
      </button>
      {isOpen && (
        <p className="max-h-80 overflow-y-auto px-3 pb-2 text-sm break-words whitespace-pre-wrap text-muted">{text}</p>
      )}
    </div>
  )
}

/** The reader plays the part of the tools. */
function ToolCalls({ calls, onResults }: { calls: readonly ToolCall[]; onResults: AnswerProps['onResults'] }) {
  const t = useTexts().playground
  const [results, setResults] = useState(() => calls.map(({ result }) => result))
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are only added at the end.
        <div key={index} className="flex min-w-0 flex-col gap-2 rounded-md border p-3">
          <div className="flex flex-wrap items-center gap-2">
            <Badge tone="accent">{t.toolCall}</Badge>
            <code className="font-mono text-sm break-all">{call.name}</code>
          </div>
          <CodeBlock code={indented(call.arguments)} label={t.arguments} wrap />
          {onResults ? (
            <TextArea
              label={t.result}
              rows={2}
              value={results[index] ?? ''}
              onChange={(value) => setResults(calls.map((_, at) => (at === index ? value : (results[at] ?? ''))))}
            />
          ) : (
            call.result !== '' && (
              <div>
                <div className="text-sm text-muted">{t.result}</div>
                <p className="font-mono text-sm break-words whitespace-pre-wrap">{call.result}</p>
              </div>
            )
          )}
        </div>
      ))}
      {onResults && (
        <div>
          <Button onClick={() => onResults(calls.map((call, index) => ({ ...call, result: results[index] ?? '' })))}>
            {t.sendResults}
          </Button>
        </div>
      )}
    </div>
  )
}

const LONGEST_INDENTED = 100_000

function indented(json: string): string {
  if (json.length > LONGEST_INDENTED) return json
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
