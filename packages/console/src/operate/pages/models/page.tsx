import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { Filters } from '../../ui/filters.tsx'
import { AdminList, CsvLink } from '../../ui/list.tsx'
import { useOpenByAddress } from '../../ui/open-by-address.ts'
import { useMay } from '../../ui/permissions.ts'
import { usePriceAct } from './acts.tsx'
import { useModelColumns } from './columns.tsx'
import { ModelDrawer } from './detail.tsx'
import { ModelForm } from './form.tsx'
import { MODEL_TYPES } from './prices/price-values.ts'

const FILTERS = { search: '', type: '', problem: '', upstream: '', group: '', after: '' }
/** Which model is open. */
const OPEN = { model: '' }
const PROBLEMS = ['no_price', 'no_route', 'no_group', 'below_cost', 'invalid', 'shadowed'] as const

export default function ModelsPage() {
  const t = useOperateTexts().models
  const { types } = useTexts().models
  const [{ after: _, ...filters }, setFilters] = useUrlState(FILTERS)
  const [{ model: open }, setOpen] = useUrlState(OPEN)
  const [isCreating, setCreating] = useOpenByAddress('create', 'configuration')
  const changePrice = usePriceAct()
  const may = useMay()
  const problems = PROBLEMS.filter((each) => each !== 'below_cost' || may('see_costs'))
  const columns = useModelColumns((model, price) => void changePrice(model, price))
  const options = (values: readonly string[], labels: Readonly<Record<string, string>>) =>
    values.map((value) => ({ value, label: labels[value] ?? value }))
  const isFiltered = Object.values(filters).some((value) => value !== '')
  const create = (
    <ActButton permission="configuration" variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {t.create}
    </ActButton>
  )
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/browser#models"
        actions={
          <>
            <CsvLink path="models" params={filters} />
            {create}
          </>
        }
      />
      <div className="mb-4">
        <Filters
          fields={[
            { name: 'search', label: t.filters.search },
            { name: 'problem', label: t.filters.problem, options: options(problems, t.problems) },
            { name: 'type', label: t.columns.type, options: options(MODEL_TYPES, types) },
            { name: 'upstream', label: t.filters.upstream, options: useIds('upstreams') },
            { name: 'group', label: t.filters.group, options: useIds('groups') },
          ]}
        />
      </div>
      <Section flush>
        <AdminList
          path="models"
          params={{ ...filters, order: 'attention' }}
          label={t.title}
          columns={columns}
          onOpen={({ id }) => setOpen({ model: id }, { replace: false })}
          isSelected={({ id }) => id === open}
          empty={
            isFiltered ? (
              <EmptyState
                title={t.empty.filtered}
                action={<Button onClick={() => setFilters(FILTERS)}>{t.empty.clear}</Button>}
              />
            ) : (
              <EmptyState title={t.empty.title} action={create}>
                {t.empty.text}
              </EmptyState>
            )
          }
        />
      </Section>
      {open !== '' && <ModelDrawer key={open} id={open} onClose={() => setOpen({ model: '' })} />}
      {isCreating && <ModelForm subject={undefined} onClose={() => setCreating(false)} />}
    </>
  )
}

/** Upstreams and groups are few. */
const MOST = { limit: '1000' }

export const useIds = (path: 'upstreams' | 'groups') => {
  const { data } = useAdmin(path, MOST)
  return (data?.data ?? []).map(({ id }) => ({ value: id, label: id }))
}
