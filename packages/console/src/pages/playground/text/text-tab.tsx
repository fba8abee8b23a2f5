import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useAbout } from '../../../api/queries.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { isRunning, newId, stop, useHistory } from '../history/history.ts'
import { Columns } from '../layout.tsx'
import { ModelChoice } from '../model-choice.tsx'
import { useModels } from '../models.ts'
import { ask } from './ask.ts'
import { Composer } from './composer.tsx'
import { type Answer, type Conversation, NO_SETTINGS, type Settings, type Turn, wrongSetting } from './conversation.ts'
import { Conversations } from './conversations.tsx'
import { AnswerView, QuestionView } from './message.tsx'
import { Parameters } from './parameters.tsx'

export function TextTab() {
  const t = useTexts().playground
  const history = useHistory<Conversation>('text')
  const choice = useModels('text')
  const { data: about } = useAbout()
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<string>()
  const [changed, setChanged] = useState<Partial<Settings>>({})
  const [isListOpen, setListOpen] = useState(false)
  const [announced, setAnnounced] = useState('')
  // The last conversation goes on, unless another or a new one is chosen.
  const id = chosen ?? history.entries?.[0]?.id
  const turns = interrupted(id, (id === undefined ? undefined : history.find(id))?.turns ?? [])
  const last = turns.findLast((turn): turn is Answer => turn.role === 'assistant')
  const settings = { ...NO_SETTINGS, ...last?.settings, ...changed, model: choice.model?.id ?? '' }
  const isAnswering = last?.outcome.state === 'running'
  useScrollAlong(turns)

  const send = async (next: readonly Turn[], model = settings.model) => {
    const to = id ?? newId()
    setChosen(to)
    setAnnounced('')
    choice.remember(model)
    const outcome = await ask(history, to, next, { ...settings, model })
    setAnnounced(t.ended[outcome.state])
    // What has failed is no longer offered first.
    if (outcome.state === 'failed') void queries.invalidateQueries({ queryKey: ['models'] })
  }
  const tryOther = (before: readonly Turn[], model: string) => {
    choice.choose(model)
    void send(before, model)
  }
  const canSend = settings.model !== '' && history.entries !== undefined && wrongSetting(settings) === undefined

  return (
    <Columns
      settings={
        <>
          <ModelChoice choice={choice} />
          <Parameters settings={settings} onChange={(change) => setChanged({ ...changed, ...change })} />
        </>
      }
    >
      {history.entries !== undefined && history.entries.length > 0 && (
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button onClick={() => setListOpen(true)}>{t.history}</Button>
          <Button icon="plus" onClick={() => setChosen(newId())} disabled={turns.length === 0}>
            {t.newConversation}
          </Button>
        </div>
      )}
      <div className="flex flex-col gap-4 wide:min-h-[max(12rem,calc(100dvh-28rem))]">
        {history.entries !== undefined && turns.length === 0 && (
          <div className="max-wide:-my-6">
            <EmptyState title={t.emptyText}>{t.emptyTextNote}</EmptyState>
          </div>
        )}
        {turns.map((turn, index) => {
          const key = `${id} ${index}`
          if (turn.role === 'user') return <QuestionView key={key} question={turn} />
          const before = turns.slice(0, index)
          const isLast = index === turns.length - 1 && !isAnswering && canSend
          return (
            <AnswerView
              key={key}
              answer={turn}
              before={before}
              baseUrl={about?.base_url ?? ''}
              onRegenerate={isLast ? () => void send(before) : undefined}
              other={
                isLast && choice.alternative
                  ? { id: choice.alternative.id, onTry: () => tryOther(before, choice.alternative?.id ?? '') }
                  : undefined
              }
              onResults={isLast ? (calls) => void send([...before, { ...turn, calls }]) : undefined}
            />
          )
        })}
      </div>
      <div role="status" className="sr-only">
        {announced}
      </div>
      <Composer
        onSend={canSend ? (question) => void send([...turns, question]) : undefined}
        floats={turns.length > 0}
        onStop={isAnswering && id !== undefined ? () => stop(id) : undefined}
      />
      <Conversations
        open={isListOpen}
        onClose={() => setListOpen(false)}
        history={history}
        current={id}
        onChoose={(next) => {
          setChosen(next)
          setListOpen(false)
        }}
      />
    </Columns>
  )
}

/** A reload ends the answer that was arriving. */
function interrupted(id: string | undefined, turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1)
  if (id === undefined || last?.role !== 'assistant' || last.outcome.state !== 'running' || isRunning(id)) return turns
  return [...turns.slice(0, -1), { ...last, outcome: { ...last.outcome, state: 'stopped' } }]
}

const NEAR_PX = 160

/** The end of the page stays in view while an answer arrives, unless the reader has scrolled up. */
function useScrollAlong(turns: readonly Turn[]): void {
  const isNear = useRef(false)
  useEffect(() => {
    const note = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement
      isNear.current = scrollHeight - clientHeight - scrollTop < NEAR_PX
    }
    note()
    window.addEventListener('scroll', note, { passive: true })
    return () => window.removeEventListener('scroll', note)
  }, [])
  const count = useRef(turns.length)
  useEffect(() => {
    const isNew = turns.length > count.current
    count.current = turns.length
    // An empty page opens at its top.
    if (isNew || (isNear.current && turns.length > 0)) window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [turns])
}
