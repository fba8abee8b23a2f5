import { Button, IconButton } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LIMITS, type RouteValues, routeValues } from './form-values.ts'
import { useFigureName } from './prices/figures.tsx'
import { type Figures, type ModelType, mainFigures } from './prices/price-values.ts'

type RouteFieldsProps = {
  type: ModelType
  price: Figures
  routes: readonly RouteValues[]
  upstreams: readonly string[]
  onChange(routes: readonly RouteValues[]): void
}

/** The routes of a model, each with what it costs by the figures that the price has. */
export function RouteFields({ type, price, routes, upstreams, onChange }: RouteFieldsProps) {
  const t = useOperateTexts().models
  const name = useFigureName()
  const main = mainFigures(type, price)
  const limitNames = useOperateTexts().upstreams.limits
  const set = (row: number, change: Partial<RouteValues>) =>
    onChange(routes.map((route) => (route.row === row ? { ...route, ...change } : route)))
  return (
    <div className="flex flex-col gap-3">
      {routes.map((route, index) => {
        const known =
          upstreams.includes(route.upstream) || route.upstream === '' ? upstreams : [route.upstream, ...upstreams]
        return (
          <fieldset key={route.row} className="grid min-w-0 grid-cols-2 gap-3 rounded-md border p-3">
            <legend className="sr-only">{t.form.route(index + 1)}</legend>
            <div className="col-span-2 flex items-end gap-2">
              <div className="min-w-0 flex-1">
                <SelectField
                  label={t.form.upstream}
                  value={route.upstream}
                  onChange={(upstream) => set(route.row, { upstream })}
                  options={known.map((value) => ({ value, label: value }))}
                />
              </div>
              {routes.length > 1 && (
                <IconButton
                  icon="trash"
                  label={t.form.removeRoute(index + 1)}
                  onClick={() => onChange(routes.filter(({ row }) => row !== route.row))}
                />
              )}
            </div>
            <div className="col-span-2">
              <TextField
                label={t.form.upstreamModel}
                hint={index === 0 ? t.form.upstreamModelHint : undefined}
                spellCheck={false}
                value={route.model}
                onChange={(model) => set(route.row, { model })}
              />
            </div>
            <div className="col-span-2">
              <TextField
                label={t.form.baseModel}
                optional
                hint={index === 0 ? t.form.baseModelHint : undefined}
                spellCheck={false}
                value={route.baseModel}
                onChange={(baseModel) => set(route.row, { baseModel })}
              />
            </div>
            <TextField
              label={t.form.priority}
              inputMode="numeric"
              value={route.priority}
              onChange={(priority) => set(route.row, { priority })}
            />
            <TextField
              label={t.form.weight}
              inputMode="numeric"
              value={route.weight}
              onChange={(weight) => set(route.row, { weight })}
            />
            {main.map((path) => (
              <TextField
                key={path}
                label={t.form.cost(name(path))}
                optional
                inputMode="decimal"
                value={route.cost[path] ?? ''}
                onChange={(value) => set(route.row, { cost: { ...route.cost, [path]: value } })}
              />
            ))}
            {LIMITS.map((limit) => (
              <TextField
                key={limit}
                label={limitNames[limit]}
                optional
                inputMode={limit === 'usd_per_day' ? 'decimal' : 'numeric'}
                value={route.limits[limit]}
                onChange={(value) => set(route.row, { limits: { ...route.limits, [limit]: value } })}
              />
            ))}
          </fieldset>
        )
      })}
      <div>
        <Button small icon="plus" onClick={() => onChange([...routes, routeValues({ upstream: upstreams[0] ?? '' })])}>
          {t.form.addRoute}
        </Button>
      </div>
    </div>
  )
}
