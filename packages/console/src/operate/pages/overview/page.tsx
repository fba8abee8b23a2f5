// The state of the gateway: what needs an operator, four figures against last week, outcomes over time, upstreams, and the largest.

import { Segments } from '../../../ui/form/choices.tsx'
import { PageHeader } from '../../../ui/page.tsx'
import { ErrorState, Skeleton } from '../../../ui/states.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { Figures } from './figures.tsx'
import { NeedsYou } from './needs.tsx'
import { Outcomes } from './outcomes.tsx'
import { Top } from './top.tsx'
import { Upstreams } from './upstreams.tsx'

const RANGES = ['1h', '24h', '7d'] as const
const FILTERS = { range: '24h' }

export default function OverviewPage() {
  const t = useOperateTexts().overview
  const [filters, setFilters] = useUrlState(FILTERS)
  const range = RANGES.find((each) => each === filters.range) ?? '24h'
  const { data, error, refetch } = useAdmin('overview', { range }, { every: LIVE, keepPrevious: true })
  return (
    <>
      <PageHeader
        title={t.title}
        help="operate/browser#overview"
        actions={
          <Segments
            label={t.range}
            value={range}
            onChange={(value) => setFilters({ range: value })}
            options={RANGES.map((value) => ({ value, label: t.ranges[value] }))}
          />
        }
      />
      {data ? (
        <>
          <NeedsYou needs={data.needs_you} count={data.needs_you_count} />
          <Figures data={data} />
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-6 full:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Outcomes data={data} />
            <Upstreams data={data} />
          </div>
          <Top data={data} />
        </>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <Loading />
      )}
    </>
  )
}

/** The height of what needs an operator is not known: nothing that is shown may move when it is. */
const Loading = () => (
  <div className="flex flex-col gap-6">
    <Skeleton size="h-12 w-full" />
    <Skeleton size="h-24 w-full" />
    <Skeleton size="h-[320px] w-full" />
    <Skeleton size="h-[280px] w-full" />
  </div>
)
