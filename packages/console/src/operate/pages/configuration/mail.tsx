// The mail server, and a test that tells what it answers.

import { useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { SendForm } from '../../../ui/form/post-form.tsx'
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
  const [found, setFound] = useState<Output<'POST', 'mail/test'>>()
  return (
    <Section title={t.test} text={t.testText}>
      <SendForm
        className="flex max-w-[520px] flex-col gap-4"
        action={t.send}
        button={(submit) => <Button {...submit} variant="primary" disabled={!isOwner} />}
        aside={!isOwner && <span className="text-sm text-muted">{t.needs}</span>}
        fields={[
          {
            name: 'to',
            label: t.to,
            type: 'email',
            usual: email,
            missing: t.missing,
            isDisabled: () => !isOwner,
          },
        ]}
        send={({ to }) => {
          setFound(undefined)
          return callAdmin({ method: 'POST', path: 'mail/test', body: { to: String(to) } })
        }}
        rejected={(error) => ({ to: messageOf(error) })}
        onDone={setFound}
      >
        {found && (
          <Banner tone={found.ok ? 'good' : 'bad'}>
            {found.ok ? t.sent(found.server) : t.failed(found.server)}
            <code className="block font-mono text-sm wrap-anywhere">{found.answer}</code>
          </Banner>
        )}
      </SendForm>
    </Section>
  )
}
