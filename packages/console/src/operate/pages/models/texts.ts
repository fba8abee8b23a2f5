import { en, type Said, texts } from '../../../i18n/say.ts'

export const models = texts({
  title: en('Models').zh('模型'),
  text: en('What clients can call, at which price, and what it costs you.').zh(
    '客户端可调用的模型、售价以及您的成本。',
  ),
  create: en('Add a model').zh('添加模型'),
  edit: en('Edit').zh('编辑'),
  review: en('Review').zh('预览更改'),
  columns: {
    model: en('Model').zh('模型'),
    state: en('State').zh('状态'),
    type: en('Type').zh('类型'),
    price: en('Price, USD per 1M tokens').zh('售价（USD / 百万 Token）'),
    cost: en('Cost, USD').zh('成本（USD）'),
    margin: en('Margin').zh('毛利率'),
    routes: en('Routes').zh('路由'),
    groups: en('Groups').zh('分组数'),
    used: en('Last 7 days').zh('最近 7 天'),
  },
  filters: {
    search: en('Name contains').zh('名称包含'),
    problem: en('Problem').zh('问题'),
    upstream: en('Upstream').zh('上游'),
    group: en('Group').zh('分组'),
  },
  noProblems: en('No problems').zh('没有问题'),
  problems: {
    invalid: en('Invalid').zh('无效'),
    no_price: en('No price').zh('无售价'),
    no_route: en('No route').zh('无路由'),
    no_group: en('In no group').zh('不在任何分组'),
    below_cost: en('Below cost').zh('低于成本'),
    shadowed: en('Overridden').zh('被覆盖'),
  } as Record<string, Said<string>>,
  empty: {
    title: en('No models yet').zh('还没有模型'),
    text: en('Add an upstream first, then the models it serves.').zh('请先添加上游，再添加该上游提供的模型。'),
    filtered: en('No model matches.').zh('没有符合条件的模型。'),
    clear: en('Clear filters').zh('清除筛选'),
  },
  gone: en('This model no longer exists.').zh('该模型已不存在。'),
  noPrice: en('No price').zh('无售价'),
  noPriceText: en('Nobody can call this model until it has a price.').zh('设置售价之前，任何人都无法调用此模型。'),
  noGroupText: en('No group offers this model, so nobody can call it.').zh(
    '没有分组提供此模型，因此任何人都无法调用。',
  ),
  shadowed: en(
    'The entry above overrides a stored model with this ID. Delete the stored one, or rename the model in the file.',
  ).zh('有一个同 ID 的已存储模型被上面的条目覆盖。请删除它，或在文件中改名。'),
  noRoute: en('none').zh('无'),
  moreRoutes: en((count: number) => `+${count}`).zh((count) => `+${count}`),
  unknown: en('Unknown').zh('未知'),
  usedCost: en('Your cost').zh('您的成本'),
  usedMargin: en('7-day margin').zh('7 天毛利率'),
  listMargin: en('Margin at multiplier 1').zh('倍率 1 时的毛利率'),
  unknownCosts: en((count: string) => `(${count} requests with unknown cost)`).zh(
    (count) => `（${count} 个请求成本未知）`,
  ),
  requests: en((count: number, shown: string) => (count === 1 ? '1 request' : `${shown} requests`)).zh(
    (_, shown) => `${shown} 个请求`,
  ),
  prices: en('Price in each group').zh('各分组的售价'),
  setPrice: en('Set a price').zh('设置售价'),
  groupsOf: en((model: string, count: string) => `${count} groups offer ${model}`).zh(
    (model, count) => `${count} 个分组提供 ${model}`,
  ),
  editPriceOf: en((model: string) => `Edit the price of ${model}`).zh((model) => `编辑 ${model} 的售价`),
  figureOf: en((figure: string, model: string) => (model === '' ? figure : `${figure} of ${model}`)).zh(
    (figure, model) => (model === '' ? figure : `${model} 的${figure}`),
  ),
  tool: en((name: string) => `Tool ${name}, per call`).zh((name) => `工具 ${name}（每次调用）`),
  parts: {
    long_context: en('Long context').zh('长上下文'),
  } as Record<string, Said<string>>,
  source: {
    label: en('Source').zh('来源'),
    stored: en((revision: string) => `Stored, revision ${revision}`).zh((revision) => `已存储，版本 ${revision}`),
    builtIn: en('Built in').zh('内置'),
    editIn: en((place: string) => (place === 'Built in' ? 'Built in: cannot be changed.' : `Edit in ${place}`)).zh(
      (place) => (place === '内置' ? '内置，无法修改。' : `请在 ${place} 中编辑`),
    ),
  },
  impact: {
    title: en('The last 7 days at this price').zh('按此售价计算最近 7 天'),
    becomes: en('becomes').zh('变为'),
    none: en('There were no requests in the last 7 days.').zh('最近 7 天没有请求。'),
    accounts: en(
      (more: string, less: string, all: string) =>
        `Of ${all} ${all === '1' ? 'account' : 'accounts'}, ${more} would have paid more and ${less} less.`,
    ).zh((more, less, all) => `${all} 个账户中，${more} 个会多付，${less} 个会少付。`),
    account: en((id: string) => `Account ${id}`).zh((id) => `账户 ${id}`),
    basis: en(
      (requests: string) => `From the receipts of ${requests} ${requests === '1' ? 'request' : 'requests'}.`,
    ).zh((requests) => `根据 ${requests} 个请求的收据计算。`),
    leftOut: en((requests: string) => `${requests} could not be repriced.`).zh(
      (requests) => `${requests} 个请求无法重新计价。`,
    ),
    part: en('Only requests since').zh('仅包含此时间之后的请求：'),
    failed: en((message: string) => `The effect is unknown: ${message}`).zh((message) => `影响未知：${message}`),
  },
  routes: {
    text: en('Routes with the lowest priority number are tried first; the next ones follow if all of these fail.').zh(
      '优先级数字最小的路由最先尝试；全部失败后才尝试后面的路由。',
    ),
    lane: en((priority: number) => `Priority ${priority}`).zh((priority) => `优先级 ${priority}`),
    first: en('tried first').zh('最先尝试'),
    later: en('if the previous ones fail').zh('前面失败后尝试'),
    share: en((upstream: string, percent: string) => `${percent} of requests go to ${upstream}`).zh(
      (upstream, percent) => `${percent} 的请求发往 ${upstream}`,
    ),
    weightNone: en('weight 0: none').zh('权重 0：不分配'),
    cost: en('Cost').zh('成本'),
    costUnknown: en('unknown').zh('未知'),
    margin: en('Margin').zh('毛利率'),
  },
  preview: {
    title: en('Where a request goes now').zh('当前路由预览'),
    text: en('How this node would route it, with the state of each upstream.').zh(
      '此节点当前会如何路由请求，以及各上游的状态。',
    ),
    group: en('Group').zh('分组'),
    protocol: en('Protocol').zh('协议'),
    rejected: en((code: string, message: string) => `Rejected with ${code}: ${message}`).zh(
      (code, message) => `会被拒绝（${code}）：${message}`,
    ),
    fallback: en((model: string) => `Fallback ${model}`).zh((model) => `后备模型 ${model}`),
    translated: en('translated').zh('需要转换'),
    passed: en('passed through').zh('直接透传'),
    changes: en('changed by this route').zh('由此路由修改'),
    systemText: en('system prompt').zh('系统提示词'),
    noDialect: en('no common protocol').zh('没有共同的协议'),
    share: en((percent: string) => `${percent} of requests`).zh((percent) => `${percent} 的请求`),
    until: en('until').zh('直到'),
    keys: en((usable: string, all: string) => `${usable} of ${all} keys usable`).zh(
      (usable, all) => `${all} 个密钥中 ${usable} 个可用`,
    ),
    reasons: {
      disabled: en('Disabled').zh('已停用'),
      draining: en('Draining').zh('排空中'),
      key_rejected: en('Key rejected').zh('密钥被拒绝'),
      probing: en('Probing').zh('探测中'),
      breaker_open: en('Circuit breaker open').zh('熔断器已打开'),
      cooling_down: en('Cooling down').zh('冷却中'),
      model_paused: en('Model paused').zh('模型已暂停'),
      limit_reached: en('Its limit is reached').zh('已达上限'),
      concurrency_full: en('At its concurrency limit').zh('已达并发上限'),
      dialect_unsupported: en('Cannot serve this type').zh('不支持此类型'),
    } as Record<string, Said<string>>,
  },
  history: {
    title: en('History').zh('历史'),
    none: en('No changes here. Changes of the configuration file are not listed.').zh(
      '此处没有修改记录。对配置文件的修改不会列出。',
    ),
    all: en('All changes in the audit log').zh('在审计日志中查看全部修改'),
    actions: {
      'model create': en('Created').zh('已创建'),
      'model change': en('Changed').zh('已修改'),
      'model delete': en('Deleted').zh('已删除'),
      'group create': en('Created').zh('已创建'),
      'group change': en('Changed').zh('已修改'),
      'group delete': en('Deleted').zh('已删除'),
    } as Record<string, Said<string>>,
  },
  acts: {
    undoPrice: en((model: string) => `Restore the previous price of ${model}?`).zh(
      (model) => `恢复 ${model} 之前的售价？`,
    ),
    priceRestored: en((model: string) => `The previous price of ${model} was restored.`).zh(
      (model) => `${model} 已恢复之前的售价。`,
    ),
    restore: en('Restore').zh('恢复'),
    undo: en((model: string) => `Undo the change of ${model}?`).zh((model) => `撤销对 ${model} 的修改？`),
    restored: en((model: string) => `${model} was restored.`).zh((model) => `${model} 已恢复原样。`),
  },
  form: {
    createTitle: en('Add a model').zh('添加模型'),
    editTitle: en((model: string) => `Edit ${model}`).zh((model) => `编辑 ${model}`),
    id: en('Model ID').zh('模型 ID'),
    idHint: en('The name clients send.').zh('客户端发送的名称。'),
    priceOnly: en('Your role can change prices. Routes and limits need the role admin.').zh(
      '您的角色可以修改售价。修改路由和限制需要管理员角色。',
    ),
    priceText: en(
      'What accounts pay in groups with multiplier 1, and the margin over the routes that are tried first.',
    ).zh('倍率为 1 的分组中账户支付的价格，以及相对最先尝试的路由的毛利率。'),
    addFigure: en('Add a price').zh('添加价格项'),
    otherFigure: en('Another tier, tool or variant').zh('其他等级、工具或规格'),
    add: en('Add').zh('添加'),
    removeFigure: en((figure: string) => `Remove ${figure}`).zh((figure) => `移除${figure}`),
    routesText: en('Routes with the lowest priority number are tried first and share requests by weight.').zh(
      '优先级数字最小的路由最先尝试，并按权重分配请求。',
    ),
    route: en((number: number) => `Route ${number}`).zh((number) => `路由 ${number}`),
    upstream: en('Upstream').zh('上游'),
    upstreamModel: en('Model at the upstream').zh('上游的模型名'),
    upstreamModelHint: en('Leave empty to use the model ID.').zh('留空则与模型 ID 相同。'),
    baseModel: en('Model behind an opaque name').zh('不透明名称背后的模型'),
    baseModelHint: en('For deployments and inference profiles: prices, limits and rules are those of this model.').zh(
      '用于部署名和推理配置文件：价格、限制与规则均以该模型为准。',
    ),
    priority: en('Priority').zh('优先级'),
    weight: en('Weight').zh('权重'),
    cost: en((figure: string) => `Cost: ${figure}`).zh((figure) => `成本：${figure}`),
    addRoute: en('Add a route').zh('添加路由'),
    removeRoute: en((number: number) => `Remove route ${number}`).zh((number) => `移除路由 ${number}`),
    limits: en('Limits and fallbacks').zh('限制与后备模型'),
    names: en('Names').zh('名称'),
    aliases: en('Aliases').zh('别名'),
    aliasesHint: en('Other names that clients may send, separated by commas.').zh(
      '客户端可以使用的其他名称，用逗号分隔。',
    ),
    hidden: en('Hidden: it can be called, but is in no list').zh('隐藏：可以调用，但不出现在列表中'),
    retires: en('Retires on').zh('停用日期'),
    replacedBy: en('Replaced by').zh('替代模型'),
    fallbacks: en('Fallbacks').zh('后备模型'),
    fallbacksHint: en('Model IDs, separated by commas, tried in this order if all routes fail.').zh(
      '模型 ID，以逗号分隔；全部路由失败时按此顺序尝试。',
    ),
  },
})
