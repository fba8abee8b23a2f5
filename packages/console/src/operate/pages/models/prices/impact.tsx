// What another price would have meant for the requests of the last days, before it is saved.

import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ApiError } from '../../../../api/client.ts'
import { Banner, Skeleton } from '../../../../ui/states.tsx'
import { Amount, isZero, Time, useNumber } from '../../../../ui/values.tsx'
import { callAdmin } from '../../../api/client.ts'
import type { Schemas } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { LINKS } from '../../../links.ts'
import { useOperateError } from '../../../ui/errors.ts'
import { ShortPrice } from './figures.tsx'

type Impact = Schemas['PriceImpact']
type Asked = { noun: 'model' | 'group'; id: string; patch: Readonly<Record<string, unknown>> }

const DAYS = 7

const compute = ({ noun, id, patch }: Asked) =>
  noun === 'model'
    ? callAdmin({
        method: 'POST',
        path: 'models/{model}/price-impact',
        params: { model: id },
        body: { price: patch.price, days: DAYS },
      })
    : callAdmin({
        method: 'POST',
        path: 'groups/{group}/price-impact',
        params: { group: id },
        body: { ...patch, days: DAYS },
      })

export function PriceImpact(asked: Asked) {
  const t = useOperateTexts().models.impact
  const messageOf = useOperateError()
  const { data, error } = useQuery<Impact, ApiError>({
    queryKey: ['price impact', asked],
    queryFn: async () => {
      const result = await compute(asked)
      if (!result.ok) throw result.error
      return result.value as Impact
    },
    // Another one of the same person may still run.
    retry: (count, { status }) => status === 429 && count < 5,
    retryDelay: 1_000,
    staleTime: 60_000,
  })
  if (error) return <Banner tone="warn">{t.failed(messageOf(error))}</Banner>
  return (
    <section aria-label={t.title} aria-busy={!data} className="flex flex-col gap-1 rounded-md border px-3 py-2">
      <h3 className="text-sm font-medium text-muted">{t.title}</h3>
      {data ? <Figures impact={data} /> : <Skeleton size="h-16 w-full" />}
    </section>
  )
}

function Change({ from, to }: { from: string; to: string }) {
  const number = useNumber()
  if (isZero(from)) return null
  const share = number(Number(to) / Number(from) - 1, {
    style: 'percent',
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  })
  return <span className="text-sm font-normal text-muted">({share})</span>
}

function Figures({ impact }: { impact: Impact }) {
  const t = useOperateTexts().models.impact
  const number = useNumber()
  if (impact.requests === 0 && impact.left_out === 0)
    return (
      <>
        <p>{t.none}</p>
        <Prices prices={impact.prices} />
      </>
    )
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2 font-medium">
        <Amount usd={impact.charged_usd} />
        <span aria-hidden="true">→</span>
        <span className="sr-only">{t.becomes}</span>
        <Amount usd={impact.would_be_charged_usd} />
        <Change from={impact.charged_usd} to={impact.would_be_charged_usd} />
      </p>
      <p>{t.accounts(number(impact.accounts_pay_more), number(impact.accounts_pay_less), number(impact.accounts))}</p>
      {impact.most_affected.length > 0 && (
        <ul className="mt-1 max-h-44 overflow-y-scroll border-t pt-1 text-sm">
          {impact.most_affected.map(({ account_id, account, charged_usd, would_be_charged_usd }) => (
            <li key={account_id} className="flex justify-between gap-x-3">
              <Link
                href={LINKS.account(account_id)}
                title={account ?? undefined}
                className="min-w-0 truncate text-link hover:underline"
              >
                {account || t.account(account_id)}
              </Link>
              <span className="shrink-0">
                <Amount rounded={4} usd={charged_usd} /> → <Amount rounded={4} usd={would_be_charged_usd} />{' '}
                <Change from={charged_usd} to={would_be_charged_usd} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm text-muted">
        {t.basis(number(impact.requests))} {impact.left_out > 0 && t.leftOut(number(impact.left_out))}{' '}
        {impact.is_part && (
          <>
            {t.part} <Time at={impact.from} />.
          </>
        )}
      </p>
    </>
  )
}

/** What is paid instead, where there are no requests to say it. */
function Prices({ prices }: { prices: Impact['prices'] }) {
  return (
    <ul className="mt-1 max-h-44 overflow-y-auto border-t pt-1 text-sm">
      {prices.map(({ model, group, type, price, would_be_price: after }) => (
        <li key={`${model} ${group}`} className="flex justify-between gap-x-3">
          <span className="min-w-0 wrap-anywhere">
            <span className="font-mono">{model}</span> <span className="text-muted">{group}</span>
          </span>
          <span className="shrink-0">
            <ShortPrice type={type} price={price} /> → <ShortPrice type={type} price={after} />
          </span>
        </li>
      ))}
    </ul>
  )
}
