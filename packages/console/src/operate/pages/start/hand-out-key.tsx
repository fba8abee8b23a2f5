import { useState } from 'react'
import { useLeaveGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { sendTestRequest, type TestResult } from '../../../pages/connect/send-test-request.ts'
import { KeyRules, Secret } from '../../../pages/keys/secret.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/form/field.tsx'
import { textIn } from '../../../ui/form/typed-values.ts'
import { Facts, Part } from '../../../ui/page.tsx'
import { Banner } from '../../../ui/states.tsx'
import { Duration } from '../../../ui/values.tsx'
import { callAdmin } from '../../api/client.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { ActForm } from '../../ui/act-form.tsx'
import { useOperateError } from '../../ui/errors.ts'

type Made = { name: string; secret: string }

/** An account for a team or a program, with credit and its first key. */
export function HandOutKey() {
  const t = useOperateTexts().start.key
  const messageOf = useOperateError()
  const [error, setError] = useState<string>()
  const [made, setMade] = useState<Made>()
  const handOut = async (account: string, name: string) => {
    const key = await callAdmin({ method: 'POST', path: 'keys', body: { account, name: t.keyName } })
    if (key.ok) setMade({ name, secret: key.value.secret })
    else setError(messageOf(key.error))
  }
  return (
    <Part title={t.heading} text={t.explained}>
      {made ? (
        <MadeKey made={made} />
      ) : (
        <ActForm
          method="POST"
          path="accounts"
          className="flex max-w-[400px] flex-col gap-3"
          action={t.submit}
          button={(submit) => <ActButton permission="money" {...submit} variant="primary" />}
          fields={[
            error !== undefined && (
              <Banner key="error" tone="bad">
                {error}
              </Banner>
            ),
            { name: 'name', label: t.name, hint: t.nameHint, maxLength: 100, missing: t.nameMissing },
            {
              name: 'credit_usd',
              label: t.credit,
              as: 'amount',
              usual: '10',
              missing: t.creditWrong,
              wrong: (text) => !/^\d+(\.\d{1,9})?$/.test(text) && t.creditWrong,
            },
          ]}
          question={({ name, credit_usd: credit }) => ({
            title: t.title(String(name)),
            text: t.text(String(credit)),
            action: t.create,
            done: t.created(String(name)),
            hideChanges: true,
            reason: 'none',
          })}
          onDone={({ id }, values) => void handOut(id, textIn(values, 'name').trim())}
        />
      )}
    </Part>
  )
}

/** Shown once, with a request that proves it. */
function MadeKey({ made: { name, secret } }: { made: Made }) {
  const t = useOperateTexts().start.key
  const texts = useTexts()
  const { leave, leaveText, stored } = texts.keys.secret
  const [isStored, setStored] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<TestResult>()
  const model = cheapestOf(useAdmin('models', { type: 'text', limit: '100' }).data?.data ?? [])
  useLeaveGuard(isStored ? undefined : { title: leave(name), text: leaveText })
  const send = async () => {
    setBusy(true)
    setResult(await sendTestRequest(secret, model ?? '', texts.snippets.prompts.text))
    setBusy(false)
  }
  return (
    <div className="flex flex-col gap-4">
      <Secret secret={secret} />
      <KeyRules />
      <Checkbox checked={isStored} onChange={setStored} label={stored} />
      {model && (
        <div>
          <Button icon="playground" busy={isBusy} onClick={send}>
            {t.send(model)}
          </Button>
        </div>
      )}
      <div aria-live="polite">
        {result?.ok && (
          <Facts
            items={[
              { label: t.answer, value: <q>{result.answer.text}</q> },
              { label: t.latency, value: <Duration ms={Math.round(result.answer.ms)} /> },
            ]}
          />
        )}
        {result && !result.ok && <Banner tone="bad">{result.message || texts.errors.unreachable}</Banner>}
      </div>
    </div>
  )
}

/** By what an answer costs. */
function cheapestOf(models: readonly Row<'models'>[]): string | undefined {
  const costOf = ({ effective }: Row<'models'>) => Number(effective?.price?.output ?? Number.POSITIVE_INFINITY)
  return models.toSorted((one, other) => costOf(one) - costOf(other))[0]?.id
}
