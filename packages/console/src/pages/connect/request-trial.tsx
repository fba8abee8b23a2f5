import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Receipt } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Facts } from '../../ui/page.tsx'
import { Banner, useErrorMessage } from '../../ui/states.tsx'
import { Amount, Duration } from '../../ui/values.tsx'
import { isUpstreamFault } from '../playground/failure.tsx'
import { finalReceipt, sendTestRequest, type TestAnswer } from './send-test-request.ts'

type TestRequestProps = {
  secret: string
  model: string
  /** What to try if this model fails. */
  other?: string | undefined
  /** The choice stays, though another model may be offered first by now. */
  onChoose(model: string): void
  onAnswered?(): void
  onFinish?(): void
}

export function TestRequest({ secret, model, other, onChoose, onAnswered, onFinish }: TestRequestProps) {
  const texts = useTexts()
  const t = texts.overview.firstRun.test
  const queries = useQueryClient()
  const message = useErrorMessage()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [canTryOther, setTryOther] = useState(false)
  const [answer, setAnswer] = useState<TestAnswer>()
  const [receipt, setReceipt] = useState<Receipt>()

  const send = async (to: string) => {
    onChoose(to)
    setBusy(true)
    setError(undefined)
    setTryOther(false)
    setAnswer(undefined)
    setReceipt(undefined)
    const result = await sendTestRequest(secret, to, texts.snippets.prompts.text)
    setBusy(false)
    if (!result.ok) {
      setError(result.status === 0 ? texts.errors.unreachable : t.failed(result.status, result.message))
      setTryOther(isUpstreamFault({ status: result.status, code: '' }))
      // What has failed is no longer offered first.
      void queries.invalidateQueries({ queryKey: ['models'] })
      return
    }
    setAnswer(result.answer)
    onAnswered?.()
    const final = await finalReceipt(result.answer.requestId)
    if ('cost_usd' in final) setReceipt(final)
    else setError(message(final))
    for (const queryKey of [['overview'], ['session'], ['keys']]) void queries.invalidateQueries({ queryKey })
  }

  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t.text(model)}</p>
      <div className="flex flex-wrap gap-2">
        <Button variant={answer ? 'secondary' : 'primary'} icon="playground" busy={isBusy} onClick={() => send(model)}>
          {answer ? t.again : t.submit}
        </Button>
      </div>
      {error && (
        <Banner
          tone="bad"
          action={
            canTryOther &&
            other !== undefined && (
              <Button small icon="refresh" onClick={() => send(other)}>
                {texts.playground.tryOther(other)}
              </Button>
            )
          }
        >
          {error}
        </Banner>
      )}
      <div aria-live="polite" className="flex flex-col gap-4">
        {answer && (
          <>
            <Banner tone="good">{t.sent}</Banner>
            <Facts
              items={[
                {
                  label: t.answer,
                  value: <span className="whitespace-pre-wrap">{answer.text === '' ? t.noText : answer.text}</span>,
                },
                { label: t.latency, value: <Duration ms={answer.ms} /> },
                { label: t.cost, value: receipt ? <Amount usd={receipt.cost_usd} /> : t.counting },
                { label: t.tokens, value: tokensOf(receipt) },
              ]}
            />
          </>
        )}
      </div>
      {answer && (
        <div className="flex flex-wrap gap-2">
          {onFinish && (
            <Button variant="primary" onClick={onFinish}>
              {t.finish}
            </Button>
          )}
          <ButtonLink href={`/usage?request=${answer.requestId}`}>{t.receipt}</ButtonLink>
        </div>
      )}
    </div>
  )
}

function tokensOf(receipt: Receipt | undefined): string {
  const { units } = receipt ?? {}
  return `${units?.input ?? '\u2013'} / ${units?.output ?? '\u2013'}`
}
