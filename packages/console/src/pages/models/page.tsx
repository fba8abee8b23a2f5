import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHeader, Section } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { chosenModels, FILTERS } from './choose.ts'
import { useModelColumns } from './columns.tsx'
import { FilterBar } from './filters.tsx'
import { ModelDrawer } from './model.tsx'
import { Pages, PER_PAGE } from './pages.tsx'
import { useSharedUnit } from './price.tsx'

/** `model`: the one whose drawer is open. */
const PLACE = { ...FILTERS, page: '1', model: '' }

export default function ModelsPage() {
  const t = useTexts().models
  const [place, setPlace] = useUrlState(PLACE)
  const query = useRead('models', {}, { every: 300_000, staleTime: 30_000 })
  const { data, error, refetch } = query
  const ofType = data?.filter(({ type }) => place.type === '' || type === place.type)
  const shared = useSharedUnit(ofType ?? [])
  const columns = useModelColumns(ofType ?? [], shared)
  const { page: _, model: open, ...filters } = place
  const found = data && chosenModels(data, filters)
  const pages = Math.ceil((found?.length ?? 0) / PER_PAGE)
  const page = Math.max(1, Math.min(Math.trunc(Number(place.page)) || 1, pages))
  return (
    <>
      <PageHeader
        title={t.title}
        text={shared === undefined ? t.text : `${t.text} ${t.pricesIn(shared)}`}
        help="use/console#models"
      />
      <FilterBar models={data ?? []} filters={filters} onChange={(change) => setPlace({ ...change, page: '1' })} />
      <Section flush>
        {error && !data ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <>
            <Table
              broad
              label={t.title}
              columnsKept="own-models"
              columns={columns}
              rows={found?.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
              rowKey={(row) => row.id}
              expected={8}
              onOpen={(row) => setPlace({ model: row.id }, { replace: false })}
              isSelected={(row) => row.id === open}
              empty={
                data?.length === 0 ? (
                  <EmptyState title={t.none}>{t.noneText}</EmptyState>
                ) : (
                  <EmptyState
                    title={t.empty}
                    action={
                      <Button onClick={() => setPlace({ ...FILTERS, sort: filters.sort })}>{t.emptyAction}</Button>
                    }
                  />
                )
              }
            />
            {found && (
              <Pages
                page={page}
                total={found.length}
                onChange={(next) => setPlace({ page: String(next) }, { replace: false })}
              />
            )}
          </>
        )}
      </Section>
      <ModelDrawer id={open} models={query} onClose={() => closeDrawer(() => setPlace({ model: '' }))} />
    </>
  )
}

/** Back to where the drawer was opened; the browser's Back button then leads to the page before, not to the drawer. */
function closeDrawer(leave: () => void): void {
  if (window.history.state?.pushed === true) window.history.back()
  else leave()
}
