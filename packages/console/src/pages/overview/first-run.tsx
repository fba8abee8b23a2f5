// From a new account to the first answer: a key, its secret, a snippet and a test request.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { post } from '../../api/client.ts'
import type { KeyWithSecret } from '../../api/types.ts'
import { useLeaveGuard } from '../../app/leave-guard.tsx'
import { useHasNoFunds } from '../../app/low-balance.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox, TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Section } from '../../ui/page.tsx'
import { Banner } from '../../ui/states.tsx'
import { Step, type StepState } from '../../ui/step.tsx'
import { ClientSetUp, useTextModels } from '../connect/client-set-up.tsx'
import { TestRequest } from '../connect/request-trial.tsx'
import { KeyDrawer } from '../keys/key-form.tsx'
import { KeyRules, Secret } from '../keys/secret.tsx'

/** `onBegin`: a key exists now, and its secret is on screen. */
export function FirstRun({ onBegin, onFinish }: { onBegin(): void; onFinish(): void }) {
  const t = useTexts().overview.firstRun
  const queries = useQueryClient()
  const [created, setCreated] = useState<KeyWithSecret>()
  const [isStored, setStored] = useState(false)
  const [isTested, setTested] = useState(false)
  const { leave, leaveText } = useTexts().keys.secret
  useLeaveGuard(created && !isStored ? { title: leave(created.key.name), text: leaveText } : undefined)

  const [client, setClient] = useState('curl')
  const choice = useTextModels(created?.key.group, created?.key.models ?? null, client)
  const hasNoFunds = useHasNoFunds()
  const last: StepState = isStored ? 'current' : 'ahead'

  return (
    <Section title={t.title} text={hasNoFunds ? t.noFunds : t.text} flush>
      <ol>
        <Step number={1} title={t.create.title} state={created ? 'done' : 'current'}>
          {created ? (
            <p className="text-muted">{t.create.created(created.key.name)}</p>
          ) : (
            <CreateKey
              onCreated={(key) => {
                setCreated(key)
                onBegin()
                void queries.invalidateQueries({ queryKey: ['overview'] })
              }}
            />
          )}
        </Step>
        <Step number={2} title={t.store.title} state={!created ? 'ahead' : isStored ? 'done' : 'current'}>
          {created && <StoreKey secret={created.secret} isStored={isStored} onStored={setStored} />}
        </Step>
        <Step number={3} title={t.client.title} state={isTested ? 'done' : last}>
          {created && isStored && (
            <div className="flex flex-col gap-4">
              <p className="text-muted">{t.client.text}</p>
              <ClientSetUp choice={choice} secret={created.secret} client={client} onClient={setClient} />
            </div>
          )}
        </Step>
        <Step number={4} title={t.test.title} state={isTested ? 'done' : last}>
          {created && isStored && choice.model && (
            <TestRequest
              secret={created.secret}
              model={choice.model.id}
              other={choice.alternative?.id}
              onChoose={choice.choose}
              onAnswered={() => setTested(true)}
              onFinish={onFinish}
            />
          )}
        </Step>
      </ol>
    </Section>
  )
}

function CreateKey({ onCreated }: { onCreated(created: KeyWithSecret): void }) {
  const t = useTexts().overview.firstRun.create
  const { name: nameMissing } = useTexts().keys.form.errors
  const [name, setName] = useState(t.defaultName)
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const { errors, isBusy, submit } = useForm({
    fields: ['name'],
    check: () => (name.trim() === '' ? { name: nameMissing } : {}),
    send: () => post('keys', { name: name.trim() }),
    done: onCreated,
  })
  return (
    <>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-muted">{t.text}</p>
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <div className="max-w-[360px]">
          <TextField
            label={t.name}
            autoComplete="off"
            maxLength={100}
            value={name}
            onChange={setName}
            error={errors.name}
          />
        </div>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" busy={isBusy}>
            {t.submit}
          </Button>
          <Button variant="quiet" onClick={() => setDrawerOpen(true)}>
            {t.more}
          </Button>
        </div>
      </form>
      {isDrawerOpen && (
        <KeyDrawer subject={undefined} name={name} onClose={() => setDrawerOpen(false)} onCreated={onCreated} />
      )}
    </>
  )
}

function StoreKey({
  secret,
  isStored,
  onStored,
}: {
  secret: string
  isStored: boolean
  onStored(isStored: boolean): void
}) {
  const { keys, overview } = useTexts()
  const ref = useRef<HTMLDivElement>(null)
  // The form with the focus is gone: the keyboard continues at the secret.
  useEffect(() => ref.current?.focus(), [])
  return (
    <div ref={ref} tabIndex={-1} className="flex max-w-[640px] flex-col gap-4 outline-none">
      <p className="text-muted">{overview.firstRun.store.text}</p>
      <Secret secret={secret} />
      <KeyRules />
      <Checkbox checked={isStored} onChange={onStored} label={keys.secret.stored} />
    </div>
  )
}
