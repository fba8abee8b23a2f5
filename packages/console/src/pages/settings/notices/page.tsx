// Which notices a person gets, where those of the account are sent, and what it was told. Emails lead here.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { post } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'
import type { NoticeSettings } from '../../../api/types.ts'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Checkbox } from '../../../ui/form/field.tsx'
import { PostForm } from '../../../ui/form/post-form.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyRow, Skeleton, useErrorMessage } from '../../../ui/states.tsx'
import { List } from '../../../ui/table/list.tsx'
import { usePageCursor } from '../../../ui/table/pagination.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useNoticeColumns } from './columns.tsx'

const KINDS = ['budget', 'balance', 'key', 'statement'] as const

export default function NoticesPage() {
  const { notices: t, settings } = useTexts()
  const query = useRead('notices/settings')
  return (
    <div className="max-w-[800px]">
      <PageHeader
        title={t.name}
        help="use/notices#notices"
        text={
          <Link href="/settings" className="text-link hover:underline">
            {settings.title}
          </Link>
        }
      />
      <Loaded query={query} skeleton={<Skeleton size="h-64 w-full" />}>
        {(data) => (
          <>
            <EmailSection settings={data} />
            {data.may_have_webhook && <WebhookSection key={data.webhook?.url} settings={data} />}
          </>
        )}
      </Loaded>
      <ListSection />
    </div>
  )
}

function EmailSection({ settings }: { settings: NoticeSettings }) {
  const { notices, common } = useTexts()
  const t = notices.email
  const client = useQueryClient()
  const toast = useToast()
  const message = useErrorMessage()
  const [isBusy, setBusy] = useState(false)
  const choose = async (chosen: NoticeSettings['kinds'] | null) => {
    setBusy(true)
    const result = await post('preferences', { notices: chosen })
    await client.invalidateQueries({ queryKey: ['notices/settings'] })
    setBusy(false)
    if (result.ok) toast(common.saved)
    else toast(message(result.error), 'bad')
  }
  const { kinds, is_default: isDefault } = settings
  return (
    <Section title={t.title} text={t.text}>
      {settings.mail ? (
        <div className="flex flex-col gap-3">
          {KINDS.map((kind) => (
            <Checkbox
              key={kind}
              label={t.kinds[kind] ?? kind}
              checked={kinds.includes(kind)}
              disabled={isBusy}
              onChange={(isOn) => void choose(KINDS.filter((each) => (each === kind ? isOn : kinds.includes(each))))}
            />
          ))}
          {isDefault ? (
            <p className="text-sm text-muted">{t.unset}</p>
          ) : (
            <div>
              <Button small disabled={isBusy} onClick={() => void choose(null)}>
                {t.reset}
              </Button>
            </div>
          )}
        </div>
      ) : (
        <EmptyRow>{t.none}</EmptyRow>
      )}
    </Section>
  )
}

function WebhookSection({ settings: { webhook, secret } }: { settings: NoticeSettings }) {
  const { notices, common } = useTexts()
  const t = notices.webhook
  const { account } = useSession()
  return (
    <Section title={t.title} text={t.text}>
      {account.disabled ? (
        <EmptyRow>{webhook?.url ?? ''}</EmptyRow>
      ) : (
        <PostForm
          path="notices/webhook"
          of={{ url: webhook?.url ?? null }}
          className="flex max-w-[520px] flex-col gap-3"
          fields={[
            {
              name: 'url',
              label: t.url,
              type: 'url',
              optional: false,
              rejected: t.wrong,
              wrong: (text) => !/^https?:\/\/\S+$/i.test(text) && t.wrong,
              write: (text) => (text.trim() === '' ? null : text.trim()),
            },
          ]}
          said={common.saved}
          refreshes={['notices/settings']}
        />
      )}
      {secret !== null && (
        <div className="mt-4">
          <div className="text-sm text-muted">{t.secret}</div>
          <div className="flex items-center gap-2">
            <code className="text-sm break-all">{secret}</code>
            <CopyButton text={secret} label={t.secret} />
          </div>
        </div>
      )}
    </Section>
  )
}

function ListSection() {
  const t = useTexts().notices.list
  const before = usePageCursor()
  const query = useRead('notices', { before }, { every: 15_000, keepPrevious: true })
  const columns = useNoticeColumns()
  return (
    <Section flush title={t.title}>
      <List
        label={t.title}
        columns={columns}
        query={query}
        cursor="before"
        expected={3}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
    </Section>
  )
}
