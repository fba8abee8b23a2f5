// How each client is set up, at any time: choose a key, a model and a client, copy the snippet, send a test request.

import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/queries.ts'
import type { KeyRow, KeyWithSecret } from '../../api/types.ts'
import { GATEWAY_PATH } from '../../app/base-path.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button, ButtonAnchor } from '../../ui/button.tsx'
import { Combobox, type UseChoices } from '../../ui/form/combobox.tsx'
import { PasswordField } from '../../ui/form/field.tsx'
import { PageHeader, Section } from '../../ui/page.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { KeyDrawer } from '../keys/key-form.tsx'
import { SecretDialog } from '../keys/secret.tsx'
import { ClientSetUp, useTextModels } from './client-set-up.tsx'
import { TestRequest } from './request-trial.tsx'

const PLACE = { key: '', client: 'curl' }

export default function ConnectPage() {
  const t = useTexts().connect
  const [{ key: id, client }, setPlace] = useUrlState(PLACE)
  const { data: newest } = useRead('keys', { state: 'active' })
  const first = newest?.items.find(({ purpose }) => purpose === 'client')
  const chosen = id === '' ? first?.id : id
  const { data: key = first } = useRead('keys/{id}', { id: chosen ?? '' }, { enabled: chosen !== undefined })
  // Only the chosen key has its secret here: another choice forgets it.
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({})
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<KeyWithSecret>()
  const secret = secrets[key?.id ?? ''] ?? ''
  const choice = useTextModels(key?.group, key?.models ?? null, client)
  const isUsable = /^sk-[\w-]{8,}$/.test(secret.trim())
  const choose = (next: string) => setPlace({ key: next })

  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="use/console#connect"
        actions={
          <ButtonAnchor href={`${GATEWAY_PATH}/docs`} target="_blank" rel="noreferrer" icon="external">
            {t.reference}
          </ButtonAnchor>
        }
      />
      <Section title={t.key} text={t.keyText}>
        <div className="flex flex-col gap-4">
          <div className="grid items-start gap-4 wide:grid-cols-2">
            <Combobox
              label={t.chosenKey}
              value={key?.id ?? ''}
              shown={key ? nameOf(key) : t.noKey}
              onChange={choose}
              useChoices={useActiveKeys}
            />
            <PasswordField
              label={t.secret}
              name="secret"
              autoComplete="off"
              placeholder="sk-..."
              value={secret}
              onChange={(value) => setSecrets({ ...secrets, [key?.id ?? '']: value })}
              hint={t.secretHint}
            />
          </div>
          <div className="flex flex-wrap items-center gap-3">
            <Button icon="plus" onClick={() => setCreating(true)}>
              {t.create}
            </Button>
            <Link href="/keys" className="text-link hover:underline">
              {t.manage}
            </Link>
          </div>
        </div>
      </Section>
      <Section title={t.client} text={t.clientText}>
        <ClientSetUp
          choice={choice}
          secret={isUsable ? secret.trim() : `sk-...${key?.last_four ?? ''}`}
          client={client}
          onClient={(next) => setPlace({ client: next })}
        />
      </Section>
      <Section title={t.test} text={isUsable ? undefined : t.testNeedsSecret}>
        {choice.model && isUsable ? (
          <TestRequest
            secret={secret.trim()}
            model={choice.model.id}
            other={choice.alternative?.id}
            onChoose={choice.choose}
          />
        ) : (
          <Button disabled icon="playground">
            {t.test}
          </Button>
        )}
      </Section>
      {isCreating && (
        <KeyDrawer
          subject={undefined}
          onClose={() => setCreating(false)}
          onCreated={(made) => {
            setCreating(false)
            setCreated(made)
            setSecrets({ ...secrets, [made.key.id]: made.secret })
            choose(made.key.id)
          }}
        />
      )}
      {created && (
        <SecretDialog name={created.key.name} secret={created.secret} onClose={() => setCreated(undefined)} />
      )}
    </>
  )
}

const nameOf = ({ name, last_four: lastFour }: KeyRow): string => `${name} (…${lastFour})`

/** Keys that clients can use now. */
const useActiveKeys: UseChoices = (typed, isOpen) => {
  const { data } = useRead('keys', { state: 'active', name: typed }, { enabled: isOpen, keepPrevious: true })
  const keys = data?.items.filter(({ purpose }) => purpose === 'client')
  return keys && { options: keys.map((key) => ({ value: key.id, label: nameOf(key) })), total: data?.total ?? 0 }
}
