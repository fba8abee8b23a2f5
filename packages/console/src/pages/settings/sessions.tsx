import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { remove } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import type { SignedInBrowser } from '../../api/types.ts'
import { useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { Section } from '../../ui/page.tsx'
import { Badge, useErrorMessage } from '../../ui/states.tsx'
import { List } from '../../ui/table/list.tsx'
import type { Column } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Time } from '../../ui/values.tsx'
import { browserName } from './browser-name.ts'

export function SessionsSection() {
  const t = useTexts().settings.sessions
  const query = useRead('sessions', {}, { every: 30_000 })
  const [isAsking, setAsking] = useState(false)
  const nameOf = ({ user_agent: agent }: SignedInBrowser) => browserName(agent) ?? t.unknown
  const columns: Column<SignedInBrowser>[] = [
    {
      id: 'browser',
      label: t.browser,
      cell: (row) => (
        <span className="inline-flex flex-wrap items-center gap-2" title={row.user_agent}>
          {nameOf(row)}
          {row.current && <Badge tone="good">{t.current}</Badge>}
        </span>
      ),
    },
    {
      id: 'address',
      label: t.address,
      cell: (row) => <span className="font-mono text-sm break-all">{row.address}</span>,
    },
    { id: 'created', label: t.signedIn, cell: (row) => <Time at={row.created_at} /> },
    { id: 'seen', label: t.lastSeen, cell: (row) => <Time at={row.seen_at} style="relative" /> },
    {
      id: 'end',
      label: t.signOut,
      control: 'button',
      align: 'right',
      cell: (row) => (row.current ? null : <EndSession session={row} name={nameOf(row)} />),
    },
  ]
  return (
    <Section
      flush
      title={t.title}
      text={t.text}
      actions={
        <Button small onClick={() => setAsking(true)}>
          {t.everywhere}
        </Button>
      }
    >
      <List label={t.title} columns={columns} query={query} expected={1} />
      {isAsking && <SignOutEverywhere onClose={() => setAsking(false)} />}
    </Section>
  )
}

function EndSession({ session, name }: { session: SignedInBrowser; name: string }) {
  const t = useTexts().settings.sessions
  const client = useQueryClient()
  const toast = useToast()
  const message = useErrorMessage()
  const [isBusy, setBusy] = useState(false)
  const end = async () => {
    setBusy(true)
    const result = await remove('sessions/{id}', { id: session.id })
    setBusy(false)
    if (result.ok) toast(t.signedOut)
    else toast(message(result.error), 'bad')
    void client.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Button small busy={isBusy} onClick={end} aria-label={t.signOutOf(name)}>
      {t.signOut}
    </Button>
  )
}

function SignOutEverywhere({ onClose }: { onClose(): void }) {
  const t = useTexts().settings.sessions
  const changeSession = useSessionChange()
  return (
    <PostForm
      path="sign-out-everywhere"
      title={t.everywhereQuestion}
      action={t.everywhere}
      isDangerous
      fields={[<p key="text">{t.everywhereText}</p>]}
      onClose={onClose}
      onDone={() => changeSession('/sign-in')}
    />
  )
}
