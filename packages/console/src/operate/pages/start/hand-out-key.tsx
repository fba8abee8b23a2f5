import { type FormEvent, useState } from 'react'
import { useLeaveGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { sendTestRequest, type TestResult } from '../../../pages/connect/send-test-request.ts'
import { KeyRules, Secret } from '../../../pages/keys/secret.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox, TextField } from '../../../ui/form/field.tsx'
import { Facts, Part } from '../../../ui/page.tsx'
import { Banner } from '../../../ui/states.tsx'
import { Duration } from '../../../ui/values.tsx'
import { callAdmin } from '../../api/client.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { useOperateError } from '../../ui/errors.ts'

type Made = { name: string; secret: string }

/** An account for a team or a program, with credit and its first key. */
export function HandOutKey() {
  const t = useOperateTexts().start.key
  const act = useAct()
  const messageOf = useOperateError()
  const [name, setName] = useState('')
  const [credit, setCredit] = useState('10')
  const [error, setError] = useState<{ name?: string; credit?: string; form?: string }>({})
  const [made, setMade] = useState<Made>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const wrong = {
      ...(name.trim() === '' ? { name: t.nameMissing } : {}),
      ...(/^\d+(\.\d{1,9})?$/.test(credit.trim()) ? {} : { credit: t.creditWrong }),
    }
    setError(wrong)
    if (Object.keys(wrong).length > 0) return
    const account = await act({
      method: 'POST',
      path: 'accounts',
      body: { name: name.trim(), credit_usd: credit.trim() },
      title: t.title(name.trim()),
      text: t.text(credit.trim()),
      action: t.create,
      done: t.created(name.trim()),
      hideChanges: true,
      reason: 'none',
    })
    if (!account) return
    const key = await callAdmin({ method: 'POST', path: 'keys', body: { account: account.id, name: t.keyName } })
    if (key.ok) setMade({ name: name.trim(), secret: key.value.secret })
    else setError({ form: messageOf(key.error) })
  }
  return (
    <Part title={t.heading} text={t.explained}>
      {made ? (
        <MadeKey made={made} />
      ) : (
        <form noValidate onSubmit={submit} className="flex max-w-[400px] flex-col gap-3">
          {error.form && <Banner tone="bad">{error.form}</Banner>}
          <TextField
            label={t.name}
            hint={t.nameHint}
            autoComplete="off"
            maxLength={100}
            value={name}
            onChange={setName}
            error={error.name}
          />
          <TextField
            label={t.credit}
            inputMode="decimal"
            autoComplete="off"
            value={credit}
            onChange={setCredit}
            error={error.credit}
          />
          <div>
            <ActButton permission="money" type="submit" variant="primary">
              {t.submit}
            </ActButton>
          </div>
        </form>
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
