import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Part } from '../../../ui/page.tsx'
import { Badge, Banner, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { useNumber } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

/** Where the same request would go now, by the code that routes requests. Asked for, since a request rarely needs it. */
export function RouteNow({ model, apiKey }: { model: string; apiKey: string }) {
  const t = useOperateTexts().requests.route
  const [isAsked, setAsked] = useState(false)
  return (
    <Part title={t.title} text={t.text}>
      {isAsked ? (
        <Candidates model={model} apiKey={apiKey} />
      ) : (
        <span>
          <Button icon="search" onClick={() => setAsked(true)}>
            {t.explain}
          </Button>
        </span>
      )}
    </Part>
  )
}

function Candidates({ model, apiKey }: { model: string; apiKey: string }) {
  const t = useOperateTexts().requests.route
  const number = useNumber()
  const { data, error, refetch } = useAdmin('models/{model}/route-preview', { model, key: apiKey })
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  if (!data) return <Skeleton size="h-20 w-full" />
  return (
    <div className="flex flex-col gap-2">
      {data.rejection && <Banner tone="bad">{data.rejection.message}</Banner>}
      <ol className="flex flex-col gap-2">
        {data.candidates.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one upstream may be a candidate twice.
          <li key={index} className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md border px-3 py-2">
            <span className="font-medium">{each.upstream}</span>
            <span className="break-all text-muted">{each.upstream_model}</span>
            <span className="text-sm text-muted">{t.priority(each.priority)}</span>
            <span className="ml-auto">
              {each.reason === null ? (
                <Badge tone="good">{t.share(number(each.share, { style: 'percent', maximumFractionDigits: 0 }))}</Badge>
              ) : (
                <Badge tone="warn">{each.reason}</Badge>
              )}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
