// What the gateway must know of a kind of model, whatever it generates: how its price and limits are configured, what it costs,
// who can serve it, and what is said of it. How a request is served is the matter of a journey.
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { ListedModel } from '@trivium/protocol/dialects/model-list.ts'
import type { ServiceId } from '../endpoints/index.ts'
import type { Nanos } from '../money/amount.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { LimitKind } from '../storage/storage.ts'
import type { YamlValue } from '../yaml/document.ts'
import type { PreviewedCharge, PreviewUnits } from './preview.ts'
import type { ReceiptUnits } from './receipt-units.ts'
import type { RouteEdits } from './route-edits.ts'

/**
 * `Price`: as it is configured. `Limits`: what requests may ask for. `Rate`: a price with the multiplier of a group.
 * Functions are methods on purpose: code that handles models of every kind passes on what it took from a model of the same kind,
 * and does not know the types.
 */
export type Modality<
  Price = unknown,
  Limits = unknown,
  Rate extends AnyPrice = AnyPrice,
  Dialect extends DialectId = DialectId,
> = {
  /** What its models generate, in messages: `images`. */
  generates: string
  /** Where its models are called, for requests to another endpoint: a sentence. */
  endpoints: string
  /** The dialects in which an upstream can be asked, the preferred ones first. */
  dialects: readonly Dialect[]
  /** The service that an upstream must have to be asked in the chat dialect. Absent: its text endpoint is asked. */
  service?: ServiceId
  /** What its models can support besides text. */
  capabilities: readonly Capability[]
  /** Whether a model can name others to try. */
  hasFallbacks?: true
  /** Whether its routes must name one model at all upstreams, since what another one makes cannot stand in for it. */
  needsSameModel?: true

  /** `limits`: of the model whose price it is. Absent: it is not the price of one model here. */
  readPrice(value: YamlValue, limits?: Limits): Price | undefined
  readLimits(value: YamlValue): Limits | undefined
  noLimits: Limits
  /** The model with what the file does not say of its limits. `knownLimits`: of the model behind a route, if it is well known. */
  withKnownLimits(
    model: Model<Price, Limits>,
    knownLimits: (route: ModelRoute<Price>) => Limits | undefined,
  ): Model<Price, Limits>
  /** Limits of a model that is not in the price list, by its name at the vendor. */
  unlistedLimits?(name: string): Limits | undefined
  /** What the limits say of what the model supports. */
  capabilitiesWithin?(limits: Limits): readonly Capability[] | undefined

  rateOf(price: Price, multiplierMillionths: bigint): Rate
  /** Every figure of the two prices, by its name in the file. Equal ones may be among them. */
  comparePrices(yours: Price | undefined, list: Price): PricePair[]
  /** Why a price is probably not what was meant: the end of a sentence that begins with the price. */
  oddPrice?(price: Price): string | undefined
  /** Which figure of a price, with its multiplier, is below what the vendor charges. */
  belowCost?(price: Price, multiplierMillionths: bigint, cost: Price): string | undefined

  /** Figures of its prices by which models are compared, the preferred ones first. */
  comparedBy: readonly string[]
  /** Units on receipts that usage pages add up as tokens. Other units are shown by their names. */
  tokens: { input: readonly string[]; output: readonly string[] }
  describe(model: Model<Price, Limits>, rate: Rate): Description
  /** The units of which a preview computes the cost. */
  previewedUnits: readonly (keyof PreviewUnits)[]
  /** undefined: the units lack what the price counts. */
  preview(rate: Rate, units: PreviewUnits): PreviewedCharge | undefined
  /** What a request that ended would have cost at this rate. undefined: its receipt does not say what the rate counts. */
  reprice(rate: Rate, receipt: ReceiptUnits): Nanos | undefined

  /** The embedded model. */
  sandbox: SandboxModel<Price, Limits>
}

/** Images as input, tools, and reasoning that requests can ask for. */
export type Capability = 'images' | 'tools' | 'reasoning'
export const CAPABILITIES: readonly Capability[] = ['images', 'tools', 'reasoning']

/** One of the places where a model is served: an upstream, and the name of the model there. */
export type ModelRoute<Price = unknown> = {
  upstream: string
  model: string
  /** What an opaque name, such as that of a deployment, stands for. Rules, limits and prices are those of this model. */
  baseModel?: string
  /** The lowest number is tried first. */
  priority: number
  /** The share of requests among routes of equal priority; 0: gets none. */
  weight: number
  /** What the vendor charges the operator; absent: unknown. */
  cost: Price | undefined
  /** The model's output limit in tokens from the built-in price list, if the file sets none. */
  maxOutput?: number
  /** Kept over all processes. Absent: none of its own. */
  limits?: RouteLimits
  /** What the operator changes in its requests. Absent: nothing. */
  edits?: RouteEdits
}

/** The name that says which model it is. */
export const baseModelOf = ({ model, baseModel }: Pick<ModelRoute, 'model' | 'baseModel'>): string => baseModel ?? model

/** Amounts of money in nano-USD. */
type RouteLimits = Readonly<Partial<Record<LimitKind, number>>>

/** Names of a model besides its id. */
export type ModelNames = {
  /** Callers may use them in place of the id. */
  aliases?: readonly string[]
  /** It can be called, and is in no list. */
  hidden?: true
  /** Absent: it is not retired. */
  retirement?: Retirement
}

/** `at`: in milliseconds since 1970; 0: at all times. From then on requests go to `replacedBy`; without it, the model does not exist. */
export type Retirement = { at: number; date: string | undefined; replacedBy: string | undefined }

export type Model<Price = unknown, Limits = unknown> = ModelNames & {
  id: string
  /** What it supports besides text. Absent: unknown. */
  capabilities?: readonly Capability[]
  routes: readonly ModelRoute<Price>[]
  /** Absent: callers cannot use the model. */
  price: Price | undefined
  /** Short hash of the price. Each receipt has it, so that a charge can be traced to the price it was based on. */
  priceVersion: string
  /** Models to try, in this order, when every route of this model fails. */
  fallbacks?: readonly string[]
  limits: Limits
}

/** `limitsRoutes`: every model that is routed to the sandbox has its limits. */
export type SandboxModel<Price, Limits> = { id: string; price: Price; limits: Limits; limitsRoutes?: true }

/** What lists say of a model besides its name. */
export type Description = Omit<ListedModel, 'id' | 'type' | 'created' | 'owner' | 'displayName' | 'capabilities'>

/** undefined: the price has no such figure. */
export type PricePair = { field: string; yours: Nanos | undefined; list: Nanos | undefined }
