// The checks of `trivium doctor`, run by the node that answers, when a person asks for them.

import { useState } from 'react'
import { Section } from '../../../ui/page.tsx'
import { Badge, Banner, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { Time } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { ActButton } from '../../ui/act-button.tsx'

type Check = Output<'GET', 'system/doctor'>['checks'][number]

export function Doctor() {
  const t = useOperateTexts().system.doctor
  const [isAsked, setAsked] = useState(false)
  const { data, error, refetch, isFetching } = useAdmin(
    'system/doctor',
    {},
    { enabled: isAsked, staleTime: Number.POSITIVE_INFINITY },
  )
  const run = () => {
    if (isAsked) void refetch()
    else setAsked(true)
  }
  return (
    <Section
      title={t.title}
      text={t.text}
      flush
      actions={
        <ActButton permission="configuration" icon="refresh" busy={isFetching} onClick={run}>
          {data ? t.again : t.run}
        </ActButton>
      }
    >
      {error && !data && <ErrorState error={error} retry={refetch} />}
      {!data && isFetching && (
        <p role="status" className="flex flex-col gap-3 p-4 text-muted">
          {t.running}
          <Skeleton size="h-40 w-full" />
        </p>
      )}
      {data && (
        <>
          <div className="flex flex-col gap-2 p-4">
            <Banner tone={data.ok ? 'good' : 'bad'}>
              {data.ok ? t.ok : t.failed(data.checks.filter(({ ok }) => !ok).length)}
            </Banner>
            <span className="text-sm text-muted">
              {t.at} <Time at={data.checked_at} style="exact" />
            </span>
          </div>
          <ul className="divide-y border-t">
            {[...data.checks].sort(byUrgency).map((check) => (
              <CheckRow key={check.check} check={check} />
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

const urgency = ({ ok, warnings }: Check): number => (ok ? (warnings.length > 0 ? 1 : 2) : 0)
const byUrgency = (one: Check, other: Check): number => urgency(one) - urgency(other)

function CheckRow({ check: { check, ok, note, advice, warnings } }: { check: Check }) {
  const t = useOperateTexts().system.doctor
  const [tone, word] = !ok
    ? (['bad', t.failedOne] as const)
    : warnings.length > 0
      ? (['warn', t.warning] as const)
      : (['good', t.passed] as const)
  return (
    <li className="grid grid-cols-[72px_minmax(0,1fr)] items-baseline gap-x-3 px-4 py-2 wide:grid-cols-[72px_180px_minmax(0,1fr)]">
      <span>
        <Badge tone={tone}>{word}</Badge>
      </span>
      <span lang="en" className="font-medium">
        {check}
      </span>
      <div lang="en" className="min-w-0 text-sm wrap-anywhere max-[719px]:col-start-2">
        <p className="whitespace-pre-line">{note}</p>
        {advice !== null && <p className="text-bad">→ {advice}</p>}
        {warnings.map((warning) => (
          <p key={warning} className="text-warn">
            {warning}
          </p>
        ))}
      </div>
    </li>
  )
}
