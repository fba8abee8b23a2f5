// The mail server, and a test that tells what it answers.

import { type FormEvent, useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Banner, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { callAdmin } from '../../api/client.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pageLink } from '../../links.ts'
import { useOperateError } from '../../ui/errors.ts'
import { useRole } from '../../ui/permissions.ts'
import { Source } from './source.tsx'

export function Mail() {
  const t = useOperateTexts().configuration.mail
  const { data, error, refetch } = useAdmin('settings')
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  const of = (id: string) => data?.settings.find((each) => each.id === id)
  const [url, from] = [of('mail.url'), of('mail.from')]
  const isSet = url !== undefined && url.value !== null
  return (
    <>
      <Section
        title={t.title}
        text={t.text}
        actions={<ButtonLink href={pageLink('configuration', { tab: 'settings', find: 'mail.' })}>{t.edit}</ButtonLink>}
      >
        {!data && <Skeleton size="h-16 w-full" />}
        {data && !isSet && <p className="text-muted">{t.off}</p>}
        {isSet && from && (
          <Facts
            items={[
              {
                label: t.server,
                value: (
                  <span className="flex flex-wrap gap-x-3">
                    {t.set} <Source source={url.source} />
                  </span>
                ),
              },
              { label: t.from, value: String(from.value) },
            ]}
          />
        )}
      </Section>
      {isSet && <Test />}
    </>
  )
}

function Test() {
  const t = useOperateTexts().configuration.mail
  const { email } = useSession().account
  const isOwner = useRole() === 'owner'
  const messageOf = useOperateError()
  const [to, setTo] = useState(email)
  const [isBusy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string>()
  const [found, setFound] = useState<Output<'POST', 'mail/test'>>()
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setFound(undefined)
    setWrong(to.trim() === '' ? t.missing : undefined)
    if (to.trim() === '') return
    setBusy(true)
    const result = await callAdmin({ method: 'POST', path: 'mail/test', body: { to: to.trim() } })
    setBusy(false)
    if (result.ok) setFound(result.value)
    else setWrong(messageOf(result.error))
  }
  return (
    <Section title={t.test} text={t.testText}>
      <form noValidate onSubmit={send} className="flex max-w-[520px] flex-col gap-4">
        <TextField label={t.to} type="email" value={to} onChange={setTo} error={wrong} disabled={!isOwner} />
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" busy={isBusy} disabled={!isOwner}>
            {t.send}
          </Button>
          {!isOwner && <span className="text-sm text-muted">{t.needs}</span>}
        </div>
        {found && (
          <Banner tone={found.ok ? 'good' : 'bad'}>
            {found.ok ? t.sent(found.server) : t.failed(found.server)}
            <code className="block font-mono text-sm wrap-anywhere">{found.answer}</code>
          </Banner>
        )}
      </form>
    </Section>
  )
}
